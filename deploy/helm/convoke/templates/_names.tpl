{{- define "convoke.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "convoke.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "convoke.selector" . }}
{{- end -}}

{{- define "convoke.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "convoke.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "convoke.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- /* A number of a values file is a float64, which toString writes as 1e+06 from a million on. */ -}}
{{- define "convoke.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ if kindIs "float64" $value }}{{ $value | toJson | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- end -}}

{{- define "convoke.callback" -}}
http://{{ include "convoke.name" . }}.{{ .Release.Namespace }}:{{ .Values.service.port }}
{{- end -}}

{{- define "convoke.egress" -}}
{{- if .Values.networkPolicy.egressTo -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{ toYaml .Values.networkPolicy.egressTo }}
{{- else -}}
- {}
{{- end -}}
{{- end -}}
