{{/* What runs, as far as the chart knows: alerts that need anything else could only be silent. */}}
{{- define "kvdeck.rules.running" -}}
native {{ if .Values.exporter.enabled }}exporter {{ end }}{{ if .Values.router.enabled }}router {{ end }}{{ if .Values.control.enabled }}control {{ end }}{{ join " " .Values.prometheusRule.requires }}
{{- end -}}

{{/* The dashboard that shows what the rules of a file are about. */}}
{{- define "kvdeck.rules.dashboard" -}}
{{- if contains "store" . -}}kvdeck-store
{{- else if contains "cache" . -}}kvdeck-cache
{{- else if contains "transfer" . -}}kvdeck-transfer
{{- else if contains "rout" . -}}kvdeck-routing
{{- else if contains "exporter" . -}}kvdeck-exporter
{{- else if contains "engine" . -}}kvdeck-engines
{{- else -}}kvdeck-fleet
{{- end -}}
{{- end -}}

{{/* Puts other numbers into an expression; takes rule, rows (of alerts/thresholds.yaml), pieces (which of a row: in, told) and wanted:
     a number, or numbers by name. All are marked before any is put in, so that none is taken for another's default. */}}
{{- define "kvdeck.rules.thresholds" -}}
{{- $rule := .rule -}}
{{- $wanted := .wanted -}}
{{- $pieces := .pieces -}}
{{- if not (kindIs "map" $wanted) }}{{ $wanted = dict (first .rows).name $wanted }}{{ end -}}
{{- $expr := $rule.expr -}}
{{- range $row := .rows -}}
{{- if hasKey $wanted $row.name -}}
{{- range $piece := get $row $pieces | default list -}}
{{- $expr = replace (replace "{threshold}" $row.default $piece) (replace "{threshold}" (printf "{%s}" $row.name) $piece) $expr -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $wanted -}}
{{- $expr = replace (printf "{%s}" $name) (toString $value) $expr -}}
{{- end -}}
{{- $_ := set $rule "expr" $expr -}}
{{- end -}}

{{/* Sets an alert's thresholds, for, severity and annotations as the values say; takes top, rule, rows and board. */}}
{{- define "kvdeck.rules.adjust" -}}
{{- $rule := .rule -}}
{{- $override := get .top.Values.prometheusRule.overrides $rule.alert | default dict -}}
{{- with $override.for }}{{ $_ := set $rule "for" . }}{{ end -}}
{{- with $override.severity }}{{ $_ := set $rule.labels "severity" . }}{{ end -}}
{{- if hasKey $override "threshold" -}}
{{- include "kvdeck.rules.thresholds" (dict "rule" $rule "rows" .rows "pieces" "in" "wanted" $override.threshold) -}}
{{- end -}}
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
{{- $thresholds := .top.Files.Get "alerts/thresholds.yaml" | fromYaml -}}
{{- $groups := list -}}
{{- range $group := (fromYaml .text).groups -}}
{{- $rules := list -}}
{{- range $rule := $group.rules -}}
{{- if not $rule.alert -}}
{{- range $alert, $override := $wanted.overrides -}}
{{- if hasKey $override "threshold" -}}
{{- include "kvdeck.rules.thresholds" (dict "rule" $rule "rows" (get $thresholds $alert) "pieces" "told" "wanted" $override.threshold) -}}
{{- end -}}
{{- end -}}
{{- $rules = append $rules $rule -}}
{{- else if not (or $wanted.recordingOnly (has $rule.alert $wanted.disabled) (not (has $rule.labels.requires $running))) -}}
{{- include "kvdeck.rules.adjust" (dict "top" $.top "rule" $rule "rows" (get $thresholds $rule.alert) "board" $board) -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}
{{- $groups = append $groups (merge (dict "rules" $rules) $group) -}}
{{- end -}}
{{- end -}}
{{- if $groups }}{{ toYaml $groups }}{{ end -}}
{{- end -}}
