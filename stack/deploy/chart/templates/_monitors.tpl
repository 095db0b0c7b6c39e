{{/* How often and how long; takes a monitor's values. */}}
{{- define "kvdeck.monitor.times" -}}
{{- with .interval }}
interval: {{ . }}
{{- end }}
{{- with .scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- end -}}

{{/* What is dropped of a job of prometheus/drop-list.yaml, then what the site wants; takes top, job and own. */}}
{{- define "kvdeck.metricRelabelings" -}}
{{- $dropped := list -}}
{{- if .top.Values.dropUnused -}}
{{- range $config := (.top.Files.Get "prometheus/drop-list.yaml" | fromYaml).scrape_configs -}}
{{- if eq $config.job_name $.job -}}
{{- range $each := $config.metric_relabel_configs -}}
{{- $dropped = append $dropped (dict "action" $each.action "regex" $each.regex "sourceLabels" $each.source_labels) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with concat $dropped .own -}}
{{ toYaml . }}
{{- end -}}
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
