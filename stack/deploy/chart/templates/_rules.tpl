{{/* What runs, as far as the chart knows: alerts that need anything else could only be silent. */}}
{{- define "kvdeck.rules.running" -}}
native {{ if .Values.exporter.enabled }}exporter {{ end }}{{ join " " .Values.prometheusRule.requires }}
{{- end -}}

{{/* The dashboard that shows what the rules of a file are about. */}}
{{- define "kvdeck.rules.dashboard" -}}
{{- if contains "cache" . -}}kvdeck-cache
{{- else if contains "transfer" . -}}kvdeck-transfer
{{- else if contains "rout" . -}}kvdeck-routing
{{- else if contains "exporter" . -}}kvdeck-exporter
{{- else if contains "engine" . -}}kvdeck-engines
{{- else -}}kvdeck-fleet
{{- end -}}
{{- end -}}

{{/* Sets an alert's thresholds, for, severity and annotations as the values say; takes top, rule and board. */}}
{{- define "kvdeck.rules.adjust" -}}
{{- $rule := .rule -}}
{{- $override := get .top.Values.prometheusRule.overrides $rule.alert | default dict -}}
{{- with $override.for }}{{ $_ := set $rule "for" . }}{{ end -}}
{{- with $override.severity }}{{ $_ := set $rule.labels "severity" . }}{{ end -}}
{{- with .top.Values.prometheusRule.runbookBaseUrl -}}
{{- $_ := set $rule.annotations "runbook_url" (printf "%s/%s" (trimSuffix "/" .) $rule.annotations.runbook_url) -}}
{{- end -}}
{{- with .top.Values.grafana.baseUrl -}}
{{- $_ := set $rule.annotations "dashboard_url" (printf "%s/d/%s?var-cluster={{ $labels.cluster }}" (trimSuffix "/" .) $.board) -}}
{{- end -}}
{{- with $override.annotations }}{{ $_ := set $rule "annotations" (merge (deepCopy .) $rule.annotations) }}{{ end -}}
{{- end -}}

{{/* The groups of one file of rules, as the values want them; takes top, path and text. */}}
{{- define "kvdeck.rules.groups" -}}
{{- $wanted := .top.Values.prometheusRule -}}
{{- $running := include "kvdeck.rules.running" .top | splitList " " -}}
{{- $board := include "kvdeck.rules.dashboard" (base .path) -}}
{{- $groups := list -}}
{{- range $group := (fromYaml .text).groups -}}
{{- $rules := list -}}
{{- range $rule := $group.rules -}}
{{- if not $rule.alert -}}
{{- $rules = append $rules $rule -}}
{{- else if not (or $wanted.recordingOnly (has $rule.alert $wanted.disabled) (not (has $rule.labels.requires $running))) -}}
{{- include "kvdeck.rules.adjust" (dict "top" $.top "rule" $rule "board" $board) -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}
{{- $groups = append $groups (merge (dict "rules" $rules) $group) -}}
{{- end -}}
{{- end -}}
{{- if $groups }}{{ toYaml $groups }}{{ end -}}
{{- end -}}
