"""The renderer does as Helm does where Helm's ways are its own: what the chart rests on, and a little beyond."""

from pathlib import Path

import pytest

from tests.stack.deploy.chart import render

_VALUES = {"name": "deck", "empty": {}, "number": 20000, "table": {"b": 1, "a": [True]}}


def _rendered(folder: Path, template: str, **files: str) -> str:
    chart = {"Chart.yaml": "name: small\nversion: 1.2.3\n", "templates/one.yaml": template, **files}
    for name, text in chart.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = render(folder, _VALUES)
    return done["templates/one.yaml"] if isinstance(done, dict) else done


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ .Values.name }} {{ .Chart.Version }} {{ .Release.Name }}", "deck 1.2.3 kvdeck"),
        ("[{{ .Values.nothing }}][{{ .Values.empty.nothing }}]", "[][]"),
        ("{{ .Values.number }}", "20000"),
        ("{{ toYaml .Values.table | nindent 2 }}", "\n  a:\n  - true\n  b: 1"),
        ('{{ define "x" }}<{{ . }}>{{ end }}{{ include "x" "y" | quote }}', '"<y>"'),
        ('{{ tpl "{{ .Values.name }}" . }}', "deck"),
        ('{{ (fromYaml "a: 1").a }} {{ first (fromYamlArray "[2]") }} {{ (fromJson "{\\"b\\": 3}").b }}', "1 2 3"),
        ('{{ lookup "v1" "Pod" "" "" | len }}', "0"),
        ("{{ .Template.Name }}", "small/templates/one.yaml"),
    ],
)
def test_a_template_prints_what_helm_prints(tmp_path: Path, template: str, text: str) -> None:
    assert _rendered(tmp_path, template) == text


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ('{{ required "name it" .Values.nothing }}', "name it"),
        ('{{ fail "no" }}', "no"),
        ('{{ include "nobody" . }}', 'no template "nobody"'),
        ("{{ .Values.nothing.more }}", "nil pointer"),
        ('{{ env "HOME" }}', "Helm has no function env"),
    ],
)
def test_a_template_fails_where_helm_does(tmp_path: Path, template: str, told: str) -> None:
    assert told in _rendered(tmp_path, template)


def test_files_are_those_beside_the_templates_by_their_paths(tmp_path: Path) -> None:
    listed = '{{ range $path, $_ := .Files.Glob "data/**.txt" }}{{ $path }} {{ end }}'
    template = listed + '{{ .Files.Get "data/a.txt" }}{{ .Files.Get "Chart.yaml" }}'
    files = {"data/a.txt": "A", "data/deep/b.txt": "B", "data/c.md": "C"}
    assert _rendered(tmp_path, template, **files) == "data/a.txt data/deep/b.txt A"


def test_what_begins_with_an_underscore_prints_nothing_by_itself(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "_parts.tpl").write_text('{{ define "part" }}p{{ end }}')
    assert _rendered(tmp_path, '{{ include "part" . }}') == "p"
