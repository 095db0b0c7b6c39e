# vLLM with LMCache and NIXL in the versions that kvdeck is tested with. From this folder:
#   docker build -f engine.Dockerfile -t kvdeck-engine:0.32.0-0.5.6 .
FROM vllm/vllm-openai:v0.32.0
# Their own requirements would exchange what vLLM was built with: only what LMCache needs beside it is named.
RUN python3 -m pip install --no-cache-dir --no-deps \
    lmcache==0.5.6 nixl==1.5.1 nixl-cu12==1.5.1 \
    aiofile==3.12.3 caio==0.12.10 aiofiles==25.1.0 nvtx==0.2.17 redis==8.1.0 sortedcontainers==2.4.0 \
    opentelemetry-exporter-prometheus==0.66b0
