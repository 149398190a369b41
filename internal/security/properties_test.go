package security

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseProperties(t *testing.T) {
	tests := map[string]struct {
		text string
		want []line
	}{
		"empty":           {"\n  \n\t\n", nil},
		"comments":        {"# a=b\n  ! c=d\nx=#y", []line{{"x", "#y", 3}}},
		"equals":          {"a=b\nc = d", []line{{"a", "b", 1}, {"c", "d", 2}}},
		"colon":           {"a:b\nc : d", []line{{"a", "b", 1}, {"c", "d", 2}}},
		"blank":           {"a b\nc\t d", []line{{"a", "b", 1}, {"c", "d", 2}}},
		"second sign":     {"a==b\nc=:d", []line{{"a", "=b", 1}, {"c", ":d", 2}}},
		"no value":        {"a\nb=", []line{{"a", "", 1}, {"b", "", 2}}},
		"trailing blanks": {"a=b  ", []line{{"a", "b  ", 1}}},
		"escaped key":     {`a\=b\:c\ d=e`, []line{{"a=b:c d", "e", 1}}},
		"escapes":         {`a=\t\n\r\f\\\q\"`, []line{{"a", "\t\n\r\f\\q\"", 1}}},
		"unicode":         {`a=\u043a\u043b\ud83d\ude00`, []line{{"a", "кл😀", 1}}},
		"continued":       {"a=b\\\n   c\\\n\td\ne=f", []line{{"a", "bcd", 1}, {"e", "f", 4}}},
		"not continued":   {"a=b\\\\\nc=d", []line{{"a", `b\`, 1}, {"c", "d", 2}}},
		"comment inside":  {"a=b\\\n#c", []line{{"a", "b#c", 1}}},
		"ends in one":     {"a=b\\", []line{{"a", "b", 1}}},
		"line ends":       {"a=b\r\nc=d\re=f", []line{{"a", "b", 1}, {"c", "d", 2}, {"e", "f", 3}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseProperties(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(line{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParsePropertiesRefuses(t *testing.T) {
	tests := map[string]string{
		"a=b\n\na=c":     "3: a: set twice, first in line 1",
		"a=\\u12":        `1: a: expected four hexadecimal digits after \u`,
		"a=\\u12xy":      `1: a: expected four hexadecimal digits after \u`,
		"a=b\nc=пароль":  `2: c: expected ASCII: write other characters as \uXXXX`,
		"a=b\\\n\\u12\n": `1: a: expected four hexadecimal digits after \u`,
	}
	for text, want := range tests {
		if _, err := parseProperties(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, expected an error that begins with %q", text, err, want)
		}
	}
}

func FuzzProperties(f *testing.F) {
	f.Add("a=b\\\n c\n#d\ne:\\u0041")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseProperties(text)
		for _, l := range lines {
			if err == nil && (l.at < 1 || l.at > strings.Count(text, "\n")+strings.Count(text, "\r")+1) {
				t.Errorf("%+v: no such line", l)
			}
		}
	})
}

func TestParseJAAS(t *testing.T) {
	tests := map[string]struct {
		text string
		want login
	}{
		"one line": {
			`org.apache.kafka.common.security.plain.PlainLoginModule required username="shop" password="a b;c=d";`,
			login{"PlainLoginModule", map[string]string{"username": "shop", "password": "a b;c=d"}},
		},
		"several lines, no class path": {
			"ScramLoginModule REQUIRED\n username = 'sh\"op'\n password=pass.word ;",
			login{"ScramLoginModule", map[string]string{"username": `sh"op`, "password": "pass.word"}},
		},
		"escapes":    {`PlainLoginModule required password="a\"b\\c\td";`, login{"PlainLoginModule", map[string]string{"password": "a\"b\\c\td"}}},
		"no options": {`OAuthBearerLoginModule required;`, login{"OAuthBearerLoginModule", map[string]string{}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseJAAS(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(login{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseJAASRefuses(t *testing.T) {
	tests := map[string]string{
		``: "semicolon at the end",
		`PlainLoginModule required username="shop" password="hunter2"`: "semicolon at the end",
		`PlainLoginModule optional password="hunter2";`:                "the word required",
		`PlainLoginModul required password="hunter2";`:                 "unknown login module PlainLoginModul, expected one of PlainLoginModule, ScramLoginModule, OAuthBearerLoginModule, did you mean PlainLoginModule?",
		`com.sun.Krb5LoginModule required password="hunter2";`:         "unknown login module Krb5LoginModule",
		`PlainLoginModule required password "hunter2";`:                `expected key="value" after 0 options`,
		`PlainLoginModule required user=x password=;`:                  `expected key="value" after 1 options`,
		`PlainLoginModule required password="hunter2;`:                 "a quote is not closed",
	}
	for text, want := range tests {
		_, err := parseJAAS(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected an error with %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: repeats the password", err)
		}
	}
}
