{{/* The exporter's command line; takes top and shard. */}}
{{- define "kvdeck.exporter.arguments" -}}
{{- $values := .top.Values -}}
{{- $exporter := $values.exporter -}}
- --web.listen-address=:{{ $exporter.port }}
- --scrape.timeout={{ $exporter.scrapeTimeout }}
{{- if $exporter.cacheInterval }}
- --cache.interval={{ $exporter.cacheInterval }}
{{- end }}
{{- if gt (int $exporter.shards) 1 }}
- --shard={{ .shard }}/{{ $exporter.shards }}
{{- end }}
{{- if $exporter.webConfigSecret }}
- --web.config.file=/etc/kvdeck/web/web-config.yaml
{{- end }}
{{- range $name, $on := $exporter.collectors }}
- --{{ if not $on }}no-{{ end }}collector.{{ $name }}
{{- end }}
{{- with $values.targets.kubernetes }}
{{- if .selector }}
- --kubernetes.selector={{ .selector }}
- --kubernetes.port={{ .port }}
{{- end }}
{{- if .lmcacheSelector }}
- --kubernetes.lmcache-selector={{ .lmcacheSelector }}
- --kubernetes.lmcache-port={{ .lmcachePort }}
{{- end }}
{{- if or .selector .lmcacheSelector }}
{{- range .namespaces }}
- --kubernetes.namespace={{ . }}
{{- end }}
{{- range .roleLabels }}
- --kubernetes.role-label={{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- if $values.targets.engines }}
- --target.file=/etc/kvdeck/targets/engines.json
{{- end }}
{{- range $name, $url := $values.targets.lmcache }}
- --lmcache={{ $name }}={{ $url }}
{{- end }}
{{- range $name, $url := $values.targets.stores }}
- --store={{ $name }}={{ $url }}
{{- end }}
{{- range $name, $url := $values.targets.routers }}
- --router={{ $name }}={{ $url }}
{{- end }}
{{- if ne (int $values.targets.storeSample) 200 }}
- --store.sample={{ int $values.targets.storeSample }}
{{- end }}
{{- range $exporter.probeAllow }}
- {{ printf "--probe.allow=%s" . | quote }}
{{- end }}
{{- with $values.targets.expectedL2 }}
- --l2.expected-url={{ . }}
{{- end }}
{{- range $exporter.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}
