# Everything: `docker run kvdeck router --help`, `control`, `exporter`, `doctor`, ... and the dashboard. From the project's folder:
#   docker build -f stack/deploy/images/kvdeck.Dockerfile -t kvdeck:0.1.0 .
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=/src/requirements.lock
RUN python -m venv /opt/kvdeck
COPY requirements.lock ./
RUN /opt/kvdeck/bin/pip install --requirement requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY alerts alerts
COPY dashboard dashboard
COPY exporters exporters
COPY stack stack
RUN /opt/kvdeck/bin/pip install --no-deps .
RUN mkdir /var/lib/kvdeck

FROM python:3.11.14-slim-bookworm
COPY --from=build /opt/kvdeck /opt/kvdeck
# Where control keeps its state: a volume that is made here is this user's.
COPY --from=build --chown=65532:65532 /var/lib/kvdeck /var/lib/kvdeck
# Streamlit wants a home to look for its settings in; a read-only root needs a volume at /tmp.
ENV PATH=/opt/kvdeck/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER 65532:65532
# Which of its processes runs here, and on which port, only its command line says: whoever runs it checks it.
HEALTHCHECK NONE
ENTRYPOINT ["kvdeck"]
CMD ["--help"]
