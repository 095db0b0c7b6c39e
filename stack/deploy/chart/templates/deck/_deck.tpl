{{/* What router and control cannot do without. */}}
{{- define "kvdeck.deck.check" -}}
{{- if not .Values.deck.secret -}}{{ fail "deck.secret: router and control need a Secret" }}{{- end -}}
{{- if not .Values.targets.engines -}}{{ fail "targets.engines: router and control steer the engines that are listed there" }}{{- end -}}
{{- range $group := .Values.targets.engines -}}
{{- range $label := list "replica" "pool" "model" "model_root" -}}
{{- if not (get ($group.labels | default dict) $label) -}}
{{- fail (printf "targets.engines: router and control need the label %s of %s" $label (join ", " $group.targets)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "kvdeck.deck.control" -}}
https://{{ include "kvdeck.fullname" . }}-control.{{ .Release.Namespace }}.svc:8010
{{- end -}}

{{/* The head of a Deployment down to its containers; takes top, component, values (of the part), replicas, strategy and volumes. */}}
{{- define "kvdeck.deck.deployment" -}}
{{- $parts := dict "top" .top "component" .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "kvdeck.fullname" .top }}-{{ .component }}
  namespace: {{ .top.Release.Namespace }}
  labels: {{- include "kvdeck.labels" $parts | nindent 4 }}
spec:
  replicas: {{ .replicas }}
  strategy: {type: {{ .strategy }}{{ if eq .strategy "RollingUpdate" }}, rollingUpdate: {maxUnavailable: 0, maxSurge: 1}{{ end }}}
  selector:
    matchLabels: {{- include "kvdeck.selector" $parts | nindent 6 }}
  template:
    metadata:
      labels: {{- include "kvdeck.labels" $parts | nindent 8 }}
      {{- if not .top.Values.control.enabled }}
      # Without control a router goes by its file, which it reads when it starts.
      annotations:
        kvdeck/desired: {{ toJson .top.Values.deck.desired | sha256sum | trunc 12 | quote }}
      {{- end }}
    spec:
      automountServiceAccountToken: false
      # Longer than streams may go on.
      terminationGracePeriodSeconds: 45
      {{- with .top.Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext: {{- include "kvdeck.security.pod" .top | nindent 8 }}
      {{- with include "kvdeck.placement" .values | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      volumes:
        - {name: tmp, emptyDir: {}}
        {{- if ne .component "dashboard" }}
        - name: targets
          configMap: {name: {{ include "kvdeck.fullname" .top }}-targets}
        - name: desired
          configMap: {name: {{ include "kvdeck.fullname" .top }}-desired}
        {{- end }}
        {{- with .top.Values.deck.secret }}
        - name: secret
          secret: {secretName: {{ . }}, defaultMode: 0440}
        {{- end }}
        {{- if eq .component "control" }}
        - name: state
          persistentVolumeClaim: {claimName: {{ include "kvdeck.fullname" .top }}-control}
        {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "kvdeck.image" (dict "image" .top.Values.deck.image "top" .top) }}
          imagePullPolicy: {{ .top.Values.deck.image.pullPolicy }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          securityContext: {{- include "kvdeck.security.container" .top | nindent 12 }}
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            {{- if ne .component "dashboard" }}
            - {name: targets, mountPath: /etc/kvdeck/targets, readOnly: true}
            - {name: desired, mountPath: /etc/kvdeck/desired, readOnly: true}
            {{- end }}
            {{- if .top.Values.deck.secret }}
            - {name: secret, mountPath: /etc/kvdeck/secret, readOnly: true}
            {{- end }}
            {{- if eq .component "control" }}
            - {name: state, mountPath: /var/lib/kvdeck}
            {{- end }}
{{- end -}}

{{/* A Service in front of it; takes top, component and port. */}}
{{- define "kvdeck.deck.service" -}}
{{- $parts := dict "top" .top "component" .component -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "kvdeck.fullname" .top }}-{{ .component }}
  namespace: {{ .top.Release.Namespace }}
  labels: {{- include "kvdeck.labels" $parts | nindent 4 }}
spec:
  selector: {{- include "kvdeck.selector" $parts | nindent 4 }}
  ports:
    - {name: http, port: {{ .port }}, targetPort: http}
{{- end -}}
