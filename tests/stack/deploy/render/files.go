package main

import (
	"encoding/base64"
	"path"
	"strings"

	"github.com/gobwas/glob"
)

// files are a chart's, by path; the methods are those of Helm's .Files.
type files map[string][]byte

func (f files) besideTemplates() files {
	found := files{}
	for name, text := range f {
		if name != "Chart.yaml" && name != "values.yaml" && name != "values.schema.json" && !strings.HasPrefix(name, "templates/") {
			found[name] = text
		}
	}
	return found
}

func (f files) GetBytes(name string) []byte { return f[name] }

func (f files) Get(name string) string { return string(f[name]) }

func (f files) Glob(pattern string) files {
	matcher, err := glob.Compile(pattern, '/')
	if err != nil {
		matcher = glob.MustCompile("**")
	}
	found := files{}
	for name, text := range f {
		if matcher.Match(name) {
			found[name] = text
		}
	}
	return found
}

func (f files) AsConfig() string {
	texts := map[string]string{}
	for name, text := range f {
		texts[path.Base(name)] = string(text)
	}
	return toYaml(texts)
}

func (f files) AsSecrets() string {
	texts := map[string]string{}
	for name, text := range f {
		texts[path.Base(name)] = base64.StdEncoding.EncodeToString(text)
	}
	return toYaml(texts)
}

func (f files) Lines(name string) []string {
	return strings.Split(strings.TrimSuffix(string(f[name]), "\n"), "\n")
}
