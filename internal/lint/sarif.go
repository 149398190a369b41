package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"kcompare/internal/source"
)

// SARIF prints findings in the Static Analysis Results Interchange Format 2.1.0, which
// code scanning services read. toolVersion is kcompare's own.
func SARIF(w io.Writer, toolVersion string, findings []Finding, unread []source.File) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "kcompare", Version: toolVersion, Rules: sarifRules()}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	for _, f := range findings {
		run.Results = append(run.Results, sarifFinding(f))
	}
	run.Invocations = []sarifInvocation{{ExecutionSuccessful: true, Notifications: notifications(unread)}}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(sarifLog{
		Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifText    `json:"shortDescription"`
	Default sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

func sarifRules() []sarifRule {
	var all []sarifRule
	for _, r := range Rules() {
		all = append(all, sarifRule{ID: r.Name, Short: sarifText{r.Finds}, Default: sarifDefault{level(r.Severity)}})
	}
	return all
}

// level is SARIF's word for a severity.
func level(s Severity) string {
	if s == Info {
		return "note"
	}
	return string(s)
}

func sarifFinding(f Finding) sarifResult {
	at := sarifPhysical{Artifact: artifact(f.File), Region: &sarifRegion{Line: f.Line, Column: f.Column}}
	return sarifResult{
		RuleID: f.Rule, Level: level(f.Severity), Message: sarifText{f.Message + withFix(f)},
		Locations: []sarifLocation{{at}},
	}
}

// artifact is a path as a URI reference (RFC 3986). A colon in it would begin a scheme.
func artifact(path string) sarifArtifact {
	var uri strings.Builder
	for _, c := range []byte(filepath.ToSlash(path)) {
		if strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/", c) >= 0 {
			uri.WriteByte(c)
		} else {
			fmt.Fprintf(&uri, "%%%02X", c)
		}
	}
	return sarifArtifact{uri.String()}
}

func notifications(unread []source.File) []sarifNotification {
	var all []sarifNotification
	for _, f := range unread {
		all = append(all, sarifNotification{
			Level: "warning", Message: sarifText{"not checked: " + f.Unread},
			Locations: []sarifLocation{{sarifPhysical{Artifact: artifact(f.Path)}}},
		})
	}
	return all
}
