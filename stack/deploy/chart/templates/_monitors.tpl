{{/* How often and how long; takes a monitor's values. */}}
{{- define "kvdeck.monitor.times" -}}
{{- with .interval }}
interval: {{ . }}
{{- end }}
{{- with .scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- end -}}

{{/* The cluster's name as a label, then what the site wants; takes top and own. */}}
{{- define "kvdeck.relabelings" -}}
{{- with .top.Values.clusterName -}}
- {action: replace, targetLabel: cluster, replacement: {{ . | quote }}}
{{ end -}}
{{- with .own -}}
{{ toYaml . }}
{{- end -}}
{{- end -}}
