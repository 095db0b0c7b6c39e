package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// functions are what Helm's templates can call besides sprig's.
func functions(set *template.Template) template.FuncMap {
	include := func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := set.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	return template.FuncMap{
		"include": include,
		"tpl": func(source string, data interface{}) (string, error) {
			copied, err := set.Clone()
			if err != nil {
				return "", err
			}
			parsed, err := copied.New("tpl").Parse(source)
			if err != nil {
				return "", err
			}
			var text strings.Builder
			err = parsed.Execute(&text, data)
			return strings.ReplaceAll(text.String(), "<no value>", ""), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"fail":          func(message string) (string, error) { return "", errors.New(message) },
		"lookup":        func(...string) map[string]interface{} { return map[string]interface{}{} },
		"toYaml":        toYaml,
		"fromYaml":      fromYaml,
		"fromYamlArray": fromYamlArray,
		"toJson":        toJson,
		"fromJson":      fromJson,
		"env":           absent("env"),
		"expandenv":     absent("expandenv"),
	}
}

func absent(name string) func(string) (string, error) {
	return func(string) (string, error) { return "", fmt.Errorf("Helm has no function %s", name) }
}

func toYaml(value interface{}) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return "" // Helm swallows it, too
	}
	return strings.TrimSuffix(string(text), "\n")
}

func toJson(value interface{}) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

func fromYaml(text string) map[string]interface{} {
	found := map[string]interface{}{}
	if err := yaml.Unmarshal([]byte(text), &found); err != nil {
		found["Error"] = err.Error()
	}
	return found
}

func fromYamlArray(text string) []interface{} {
	found := []interface{}{}
	if err := yaml.Unmarshal([]byte(text), &found); err != nil {
		found = []interface{}{err.Error()}
	}
	return found
}

func fromJson(text string) map[string]interface{} {
	found := map[string]interface{}{}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		found["Error"] = err.Error()
	}
	return found
}
