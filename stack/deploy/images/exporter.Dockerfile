# The exporter alone: reads a fleet, writes nothing. From the project's folder:
#   docker build -f stack/deploy/images/exporter.Dockerfile -t kvdeck-exporter:0.1.0 .
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=/src/requirements.lock
RUN python -m venv /opt/kvdeck
COPY requirements.lock stack/deploy/images/exporter.txt ./
RUN /opt/kvdeck/bin/pip install --requirement exporter.txt
COPY pyproject.toml README.md LICENSE ./
COPY alerts alerts
COPY dashboard dashboard
COPY exporters exporters
COPY stack stack
RUN /opt/kvdeck/bin/pip install --no-deps .

FROM python:3.11.14-slim-bookworm
COPY --from=build /opt/kvdeck /opt/kvdeck
ENV PATH=/opt/kvdeck/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
# No name, no home, no shell of its own; the chart runs it as this user, too.
USER 65532:65532
EXPOSE 9410
# Kubernetes has probes of its own and ignores this.
HEALTHCHECK --interval=30s --timeout=5s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:9410/healthz', timeout=3)"]
ENTRYPOINT ["python", "-m", "exporters"]
CMD ["--web.listen-address=:9410"]
