// Renders one Helm chart the way Helm does, with the libraries Helm is made of: text/template, sprig and sigs.k8s.io/yaml.
//
// Standard input is {"chart": FOLDER, "values": {...}, "release": {"Name": ..., "Namespace": ...}, "apiVersions": [...]}; `values`
// are whole: merged over the chart's own and checked against its schema by the caller. Standard output is {FILE: TEXT} of all
// templates that print something. Not covered: subcharts, hooks, `lookup` of a live cluster (it finds nothing, as in `helm template`).
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

type request struct {
	Chart       string                 `json:"chart"`
	Values      map[string]interface{} `json:"values"`
	Release     map[string]interface{} `json:"release"`
	APIVersions versions               `json:"apiVersions"`
}

type versions []string

// Has says whether the cluster serves an API version, such as "monitoring.coreos.com/v1".
func (v versions) Has(wanted string) bool {
	for _, each := range v {
		if each == wanted {
			return true
		}
	}
	return false
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var asked request
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return err
	}
	all, err := readAll(asked.Chart)
	if err != nil {
		return err
	}
	rendered, err := render(asked, all)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(rendered)
}

// readAll is every file of the chart by its path below it.
func readAll(folder string) (files, error) {
	found := files{}
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	return found, err
}

func render(asked request, all files) (map[string]string, error) {
	var chart map[string]interface{}
	if err := yaml.Unmarshal(all["Chart.yaml"], &chart); err != nil {
		return nil, err
	}
	name := fmt.Sprint(chart["name"])
	title := map[string]interface{}{}
	for key, value := range chart {
		title[strings.ToUpper(key[:1])+key[1:]] = value
	}
	top := map[string]interface{}{
		"Chart":        title,
		"Release":      asked.Release,
		"Values":       asked.Values,
		"Files":        all.besideTemplates(),
		"Capabilities": map[string]interface{}{"APIVersions": asked.APIVersions, "KubeVersion": map[string]interface{}{"Version": "v1.31.0"}},
		"Template":     map[string]interface{}{"BasePath": name + "/templates"},
	}
	set := template.New(name).Option("missingkey=zero").Funcs(sprig.TxtFuncMap())
	set.Funcs(functions(set))
	for path, text := range all {
		if strings.HasPrefix(path, "templates/") {
			if _, err := set.New(name + "/" + path).Parse(string(text)); err != nil {
				return nil, err
			}
		}
	}
	return printed(set, name, top)
}

func printed(set *template.Template, name string, top map[string]interface{}) (map[string]string, error) {
	texts := map[string]string{}
	for _, each := range set.Templates() {
		path := each.Name()
		if !strings.HasPrefix(path, name+"/") || strings.HasPrefix(filepath.Base(path), "_") {
			continue
		}
		data := map[string]interface{}{}
		for key, value := range top {
			data[key] = value
		}
		data["Template"] = map[string]interface{}{"Name": path, "BasePath": name + "/templates"}
		var text strings.Builder
		if err := each.Execute(&text, data); err != nil {
			return nil, err
		}
		// As Helm does: an absent value prints nothing.
		texts[strings.TrimPrefix(path, name+"/")] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return texts, nil
}
