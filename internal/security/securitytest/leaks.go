package securitytest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Leaks names each form in which a secret stands in a text.
func Leaks(text string, secrets []string) []string {
	lower := strings.ToLower(text)
	var found []string
	for _, secret := range secrets {
		for name, form := range forms(secret) {
			if strings.Contains(text, form) || name == "hex" && strings.Contains(lower, form) {
				found = append(found, fmt.Sprintf("%s of a secret of %d bytes", name, len(secret)))
			}
		}
	}
	slices.Sort(found)
	return found
}

// forms is a secret in the encodings in which it is likely to be met: as it is, within
// JSON and Go's quotes, URL encoded, in hexadecimal, and in base64 at each place where
// it can begin in a group of three bytes.
func forms(secret string) map[string]string {
	quoted, _ := json.Marshal(secret)
	forms := map[string]string{
		"text": secret, "JSON": strings.Trim(string(quoted), `"`), "Go": strings.Trim(fmt.Sprintf("%q", secret), `"`),
		"query": url.QueryEscape(secret), "path": url.PathEscape(secret), "hex": hex.EncodeToString([]byte(secret)),
	}
	for before := range 3 {
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			first, last := (before*8+5)/6, (before+len(secret))*8/6 // characters that the secret alone decides
			forms[fmt.Sprintf("%s at %d", name, before)] = text[first:last]
		}
	}
	return forms
}
