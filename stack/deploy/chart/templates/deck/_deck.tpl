{{/* What router and control cannot do without. */}}
{{- define "kvdeck.deck.check" -}}
{{- if not .Values.deck.secret -}}{{ fail "deck.secret: router and control need a Secret" }}{{- end -}}
{{- $pods := .Values.targets.kubernetes -}}
{{- if and .Values.router.enabled $pods.selector (has "*" $pods.namespaces) -}}
{{- fail "targets.kubernetes.namespaces: a router reads pods of namespaces that are named, not of all" -}}
{{- end -}}
{{- if and .Values.control.pools .Values.control.hyperpod.endpoints -}}
{{- fail "control.hyperpod.endpoints: control runs pools as workloads or by HyperPod's endpoints, not both: leave control.pools out" -}}
{{- end -}}
{{- $asks := or .Values.control.pools .Values.control.hyperpod.endpoints -}}
{{- if or (and .Values.router.enabled (not $pods.selector)) (and .Values.control.enabled (not $asks)) -}}
{{- if not .Values.targets.engines -}}
{{- fail "targets.engines: router and control steer the engines that are listed there, or pods: targets.kubernetes.selector and control.pools or control.hyperpod.endpoints" -}}
{{- end -}}
{{- range $group := .Values.targets.engines -}}
{{- range $label := list "replica" "pool" "model" "model_root" -}}
{{- if not (get ($group.labels | default dict) $label) -}}
{{- fail (printf "targets.engines: router and control need the label %s of %s" $label (join ", " $group.targets)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Not empty where the part asks the API server; takes top and component. */}}
{{- define "kvdeck.deck.asks" -}}
{{- $control := .top.Values.control -}}
{{- if or (and (eq .component "router") .top.Values.targets.kubernetes.selector) (and (eq .component "control") (or $control.pools $control.hyperpod.endpoints)) -}}
yes
{{- end -}}
{{- end -}}

{{/* The names of the workloads that run pools, as JSON: by namespace, then by resource. */}}
{{- define "kvdeck.deck.workloads" -}}
{{- $found := dict -}}
{{- range $pools := .Values.control.pools -}}
{{- range $workload := $pools -}}
{{- $namespace := $workload.namespace | default $.Release.Namespace -}}
{{- $resource := printf "%ss" ($workload.kind | default "Deployment" | lower) -}}
{{- $there := get $found $namespace | default dict -}}
{{- $_ := set $there $resource (append (get $there $resource | default list) $workload.name) -}}
{{- $_ := set $found $namespace $there -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{/* The names of HyperPod's endpoints and of the Deployments that its operator makes of them, as JSON: by namespace. */}}
{{- define "kvdeck.deck.endpoints" -}}
{{- $found := dict -}}
{{- range .Values.control.hyperpod.endpoints -}}
{{- $namespace := .namespace | default $.Release.Namespace -}}
{{- $there := get $found $namespace | default (dict "endpoints" list "deployments" list) -}}
{{- $_ := set $there "endpoints" (append $there.endpoints .name) -}}
{{- if ne (toString .disaggregated) "false" -}}
{{- $_ := set $there "deployments" (concat $there.deployments (list (printf "prefill-%s" .name) (printf "decode-%s" .name))) -}}
{{- end -}}
{{- $_ := set $found $namespace $there -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{/* Not empty where control may patch endpoints. */}}
{{- define "kvdeck.deck.patches" -}}
{{- if and .Values.control.hyperpod.livePatching (ne .Values.control.mode "observe") -}}yes{{- end -}}
{{- end -}}

{{- define "kvdeck.deck.control" -}}
https://{{ include "kvdeck.fullname" . }}-control.{{ .Release.Namespace }}.svc:8010
{{- end -}}

{{/* The keys of deck.secret that a part reads, as JSON; takes top, component and values (of the part). */}}
{{- define "kvdeck.deck.keys" -}}
{{- $asks := dict "router" (list "router.token" "ca.crt") "dashboard" (list "ca.crt") "control" (list "tokens.yaml" "tls.crt" "tls.key") -}}
{{- $own := ternary (get $asks .component) list .top.Values.control.enabled -}}
{{- $key := ternary (list "session.key") list (eq .component "router") -}}
{{- toJson (dict "keys" (concat $key $own (.values.secretKeys | default list))) -}}
{{- end -}}

{{/* The head of a Deployment down to its containers; takes top, component, values (of the part), replicas, strategy and volumes. */}}
{{- define "kvdeck.deck.deployment" -}}
{{- $parts := dict "top" .top "component" .component -}}
{{- $keys := fromJson (include "kvdeck.deck.keys" .) | dig "keys" list -}}
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
      {{- if include "kvdeck.deck.asks" . }}
      serviceAccountName: {{ include "kvdeck.fullname" .top }}-{{ .component }}
      automountServiceAccountToken: true
      {{- else }}
      automountServiceAccountToken: false
      {{- end }}
      {{- if eq .component "router" }}
      # Longer than streams may go on.
      terminationGracePeriodSeconds: {{ add .values.drainSeconds 15 }}
      {{- end }}
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
        {{- if not (include "kvdeck.deck.asks" .) }}
        - name: targets
          configMap: {name: {{ include "kvdeck.fullname" .top }}-targets}
        {{- end }}
        - name: desired
          configMap: {name: {{ include "kvdeck.fullname" .top }}-desired}
        {{- end }}
        {{- with $keys }}
        - name: secret
          secret:
            secretName: {{ $.top.Values.deck.secret }}
            defaultMode: 0440
            items: # no more than this part reads
              {{- range . }}
              - {key: {{ . }}, path: {{ . }}}
              {{- end }}
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
            {{- if not (include "kvdeck.deck.asks" .) }}
            - {name: targets, mountPath: /etc/kvdeck/targets, readOnly: true}
            {{- end }}
            - {name: desired, mountPath: /etc/kvdeck/desired, readOnly: true}
            {{- end }}
            {{- if $keys }}
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
