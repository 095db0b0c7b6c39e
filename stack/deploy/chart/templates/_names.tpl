{{- define "kvdeck.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "kvdeck.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "kvdeck.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "kvdeck.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Takes top and component. */}}
{{- define "kvdeck.selector" -}}
app.kubernetes.io/name: {{ include "kvdeck.name" .top }}
app.kubernetes.io/instance: {{ .top.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "kvdeck.labels" -}}
{{ include "kvdeck.selector" . }}
app.kubernetes.io/version: {{ .top.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .top.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .top.Chart.Name .top.Chart.Version | replace "+" "_" }}
{{- with .top.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Takes image and top. */}}
{{- define "kvdeck.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .top.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "kvdeck.exporter.serviceAccount" -}}
{{- .Values.exporter.serviceAccount.name | default (ternary (printf "%s-exporter" (include "kvdeck.fullname" .)) "default" .Values.exporter.serviceAccount.create) -}}
{{- end -}}
