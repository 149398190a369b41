package security

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// jaas turns sasl.jaas.config, and the class that Java calls for tokens, into
// librdkafka's settings.
func (f *file) jaas(g given) error {
	text, told := g["sasl.jaas.config"]
	class := g["sasl.login.callback.handler.class"]
	delete(g, "sasl.jaas.config")
	delete(g, "sasl.login.callback.handler.class")
	if !told {
		if class != "" {
			return wrong("needs sasl.jaas.config", "sasl.login.callback.handler.class")
		}
		return nil
	}
	l, err := parseJAAS(text)
	if err != nil {
		return wrong(err.Error(), "sasl.jaas.config")
	}
	add := func(key, option string) error { return f.fromOption(g, key, l, option) }
	if l.module != "OAuthBearerLoginModule" {
		return f.password(g, l, add)
	}
	endpoint := class[strings.LastIndex(class, ".")+1:]
	switch {
	case endpoint == "OAuthBearerLoginCallbackHandler" || class == "" && g["sasl.oauthbearer.token.endpoint.url"] != "":
		return f.clientCredentials(g, l, add)
	case endpoint == "OAuthBearerUnsecuredLoginCallbackHandler" || class == "":
		return f.unsecured(g, l)
	}
	return wrong(fmt.Sprintf("%s is a program that only Java can call, expected OAuthBearerLoginCallbackHandler", class),
		"sasl.login.callback.handler.class")
}

// fromOption takes a setting from an option, and the option out of the login.
func (f *file) fromOption(g given, key string, l login, option string) error {
	value, told := l.options[option]
	if !told {
		return nil
	}
	delete(l.options, option)
	if g[key] != "" {
		return wrong(fmt.Sprintf("two names of one setting (%s of the login module), give only one of them", option), "sasl.jaas.config", f.spelled[key])
	}
	g[key] = value
	return nil
}

// nothingElse refuses options that were not used.
func (l login) nothingElse() error {
	for _, option := range slices.Sorted(maps.Keys(l.options)) {
		return wrong(fmt.Sprintf("option %s of %s has no equal in other clients", option, l.module), "sasl.jaas.config")
	}
	return nil
}

func (f *file) password(g given, l login, add func(key, option string) error) error {
	f.secrets = append(f.secrets, l.options["password"])
	for _, pair := range [][2]string{{"sasl.username", "username"}, {"sasl.password", "password"}} {
		if err := add(pair[0], pair[1]); err != nil {
			return err
		}
	}
	if plain := l.module == "PlainLoginModule"; plain != (g["sasl.mechanism"] == "PLAIN") {
		return wrong(fmt.Sprintf("%s does not go with sasl.mechanism=%s", l.module, g["sasl.mechanism"]), "sasl.jaas.config")
	}
	return l.nothingElse()
}

func (f *file) clientCredentials(g given, l login, add func(key, option string) error) error {
	f.secrets = append(f.secrets, l.options["clientSecret"])
	for _, pair := range [][2]string{
		{"sasl.oauthbearer.client.credentials.client.id", "clientId"},
		{"sasl.oauthbearer.client.credentials.client.secret", "clientSecret"},
		{"sasl.oauthbearer.scope", "scope"},
	} {
		if err := add(pair[0], pair[1]); err != nil {
			return err
		}
	}
	var extensions []string
	for _, option := range slices.Sorted(maps.Keys(l.options)) {
		if name, ok := strings.CutPrefix(option, "extension_"); ok {
			extensions = append(extensions, name+"="+l.options[option])
			delete(l.options, option)
		}
	}
	if len(extensions) > 0 {
		g["sasl.oauthbearer.extensions"] = strings.Join(extensions, ",")
	}
	g["sasl.oauthbearer.method"] = "oidc"
	return l.nothingElse()
}

// unsecured is a token that the client makes itself. Java can put any claim into it,
// librdkafka only a name and a scope.
func (f *file) unsecured(g given, l login) error {
	take := func(option, otherwise string) string {
		value, told := l.options["unsecuredLogin"+option]
		delete(l.options, "unsecuredLogin"+option)
		if !told {
			return otherwise
		}
		return value
	}
	principal, scope := take("PrincipalClaimName", "sub"), take("ScopeClaimName", "scope")
	who := take("StringClaim_"+principal, "")
	if who == "" {
		return wrong(fmt.Sprintf("unsecuredLoginStringClaim_%s=\"NAME\" is missing: the client makes an unsecured token itself, unless there is sasl.oauthbearer.token.endpoint.url", principal), "sasl.jaas.config")
	}
	words := []string{
		"principalClaimName=" + principal, "principal=" + who,
		"scopeClaimName=" + scope, "lifeSeconds=" + take("LifetimeSeconds", "3600"),
	}
	if list := take("ListClaim_"+scope, ""); list != "" { // its first character divides it
		words = append(words, "scope="+strings.ReplaceAll(list[1:], list[:1], ","))
	}
	for _, option := range slices.Sorted(maps.Keys(l.options)) {
		if name, ok := strings.CutPrefix(option, "unsecuredLoginExtension_"); ok {
			words = append(words, "extension_"+name+"="+take("Extension_"+name, ""))
		}
	}
	if err := l.nothingElse(); err != nil {
		return err
	}
	for _, w := range words {
		if strings.ContainsAny(w, " \t") {
			return wrong("librdkafka takes no blanks in the values of an unsecured token", "sasl.jaas.config")
		}
	}
	g["enable.sasl.oauthbearer.unsecure.jwt"] = "true"
	g["sasl.oauthbearer.config"] = strings.Join(words, " ")
	return nil
}
