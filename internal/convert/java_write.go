package convert

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// This file writes .properties for Java's kafka-clients.

func writeJava(path string, all []block) ([]byte, []Lost) {
	var text, body strings.Builder
	text.WriteString("# Written by kcompare config convert: settings of Java's kafka-clients.\n" + several(all))
	var lost []Lost
	env := false
	for _, b := range all {
		pairs, asides := b.java()
		lost = append(lost, b.lost...)
		env = env || slices.ContainsFunc(pairs, func(p pair) bool { return p.env != "" })
		b.writeHead(&body, path)
		for _, aside := range asides {
			fmt.Fprintf(&body, "# A default of %s that Java cannot be given: %s\n", library(b.client), aside)
		}
		writeSerializers(&body, b.role)
		writePairs(&body, pairs, library(b.client), "kafka-clients")
	}
	if env { // KIP-421, and KIP-887 for the provider, in kafka-clients from 3.5 on
		text.WriteString("\n# Values like ${env:NAME} are read from the environment.\nconfig.providers=env\n" +
			"config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider\n")
	}
	return []byte(text.String() + body.String()), lost
}

func writeSerializers(text *strings.Builder, role source.Role) {
	switch role {
	case source.Producer:
		fmt.Fprintf(text, "# Required, and a matter of the program: the other clients take bytes.\n"+
			"key.serializer=org.apache.kafka.common.serialization.ByteArraySerializer\n"+
			"value.serializer=org.apache.kafka.common.serialization.ByteArraySerializer\n")
	case source.Consumer:
		fmt.Fprintf(text, "# Required, and a matter of the program: the other clients take bytes.\n"+
			"key.deserializer=org.apache.kafka.common.serialization.ByteArrayDeserializer\n"+
			"value.deserializer=org.apache.kafka.common.serialization.ByteArrayDeserializer\n")
	}
}

// java is the settings of the block as Java takes them, and the defaults that it cannot
// be given.
func (b *block) java() (pairs []pair, asides []string) {
	for _, key := range b.keys() {
		s, _ := config.Lookup(key)
		silent := slices.Contains(b.silent, key)
		made, why := b.javaPairs(s)
		switch {
		case why != "" && !silent:
			b.lost = append(b.lost, b.lostOf(key, why))
		case why != "" && s.Relation == config.DifferentDefault && toJava(s, *b) != "":
			asides = append(asides, Lost{Key: key, Value: b.text(key), Reason: why}.comment())
		}
		for _, p := range made {
			p.silent = silent
			if !slices.ContainsFunc(pairs, func(old pair) bool { return old.key == p.key }) {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs, asides
}

// javaPairs is what one setting becomes, or why it becomes nothing.
func (b *block) javaPairs(s config.Setting) ([]pair, string) {
	v := b.given[s.Name]
	if !b.has(s) {
		return nil, meaningless(*b)
	}
	if pairs, why, done := b.javaSecured(s.Name); done {
		return pairs, why
	}
	key := toJava(s, *b)
	if key == "" {
		return nil, noJava(s)
	}
	p := pair{key: key, value: v.text, env: envOf(v)}
	if rule := javaRules[key]; rule.write != nil && v.env == "" {
		text, err := rule.write(v.text, *b)
		if err != nil {
			return nil, err.Error()
		}
		if key == "partitioner.class" {
			return nil, ""
		}
		p.value = text
	}
	if key == "request.timeout.ms" && p.value != v.text {
		p.notes = []string{fmt.Sprintf("%s=%s, lowered: Java refuses a delivery.timeout.ms below linger.ms and request.timeout.ms together.", v.key, v.text)}
	}
	return []pair{p}, ""
}

func envOf(v value) string {
	if v.env == "" {
		return ""
	}
	return "env:" + v.env
}

// noJava says why Java has no such setting.
func noJava(s config.Setting) string {
	switch {
	case s.Name == "request.timeout.ms":
		return "Java tells the broker its own request.timeout.ms, which stands for socket.timeout.ms here"
	case s.Name == "compression.level":
		return "Java has a level for gzip, lz4 and zstd each; give compression.type"
	case s.Relation == config.NotApplicable:
		return "of librdkafka alone. " + s.Gotcha
	}
	return "Java's clients have no such setting"
}

// javaSecured is TLS and SASL, which Java has in stores and a login module.
func (b *block) javaSecured(key string) (pairs []pair, why string, done bool) {
	v := b.given[key]
	pem := func(what string) pair { return pair{key: "ssl." + what + ".type", value: "PEM"} }
	own := pair{key: key, value: v.text, env: envOf(v)}
	switch key {
	case "ssl.ca.location":
		own.key = "ssl.truststore.location"
		return []pair{pem("truststore"), own}, "", true
	case "ssl.ca.pem":
		own.key = "ssl.truststore.certificates"
		return []pair{pem("truststore"), own}, "", true
	case "ssl.certificate.pem":
		own.key = "ssl.keystore.certificate.chain"
		return []pair{pem("keystore"), own}, "", true
	case "ssl.key.pem":
		own.key = "ssl.keystore.key"
		return []pair{pem("keystore"), own}, "", true
	case "ssl.keystore.location":
		return []pair{{key: "ssl.keystore.type", value: "PKCS12"}, own}, "", true
	case "ssl.certificate.location":
		return b.javaKeyFile()
	case "ssl.key.location":
		return nil, "", true
	case "enable.ssl.certificate.verification":
		if b.isFalse(key) {
			return nil, "Java always verifies the chain; trust the certificate in ssl.truststore.location", true
		}
		return nil, "", true
	case "sasl.username", "sasl.password":
		return b.javaLogin()
	}
	return nil, "", false
}

// javaKeyFile: Java takes certificate and key from one file.
func (b *block) javaKeyFile() ([]pair, string, bool) {
	certificate, key := b.given["ssl.certificate.location"], b.given["ssl.key.location"]
	p := pair{key: "ssl.keystore.location", value: certificate.text, env: envOf(certificate)}
	if certificate.text != key.text {
		p.notes = []string{fmt.Sprintf("Java takes both from one file: cat %s %s > FILE, and name that here.", key.text, certificate.text)}
	}
	return []pair{{key: "ssl.keystore.type", value: "PEM"}, p}, "", true
}

var javaModules = map[string]string{
	"PLAIN":         "org.apache.kafka.common.security.plain.PlainLoginModule",
	"SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
	"SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}

func (b *block) javaLogin() ([]pair, string, bool) {
	module, ok := javaModules[b.text("sasl.mechanism")]
	if !ok {
		return nil, "Java takes it in sasl.jaas.config, with the login module of sasl.mechanism", true
	}
	user := b.text("sasl.username")
	if env := b.given["sasl.username"].env; env != "" {
		user = "${env:" + env + "}"
	}
	value := fmt.Sprintf(`%s required username="%s" password="${env:%s}";`, module,
		strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(user), envName("sasl.password"))
	return []pair{{key: "sasl.jaas.config", value: value, env: "env:" + envName("sasl.password")}}, "", true
}
