package proxy

import (
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// readApiVersions decodes the body of an ApiVersions answer by what it holds: a
// broker that does not know the version asked for answers in version 0 with
// UNSUPPORTED_VERSION (KIP-511).
func readApiVersions(body []byte, version int16) (*kmsg.ApiVersionsResponse, error) {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.SetVersion(version)
	if len(body) >= 2 && int16(binary.BigEndian.Uint16(body)) == kerr.UnsupportedVersion.Code {
		resp.SetVersion(0)
	}
	if err := resp.ReadFrom(body); err != nil {
		return nil, fmt.Errorf("read an ApiVersions answer: %w", err)
	}
	return resp, nil
}

// lowerVersions lowers each maximum to the newest version that this proxy can
// decode, and says which. A minimum is never raised: librdkafka before 2.11.1
// turns compression off when Produce does not begin at 0 (its issue 4956). APIs
// that kmsg does not know stay, they pass without being decoded.
func lowerVersions(resp *kmsg.ApiVersionsResponse) []string {
	var lowered []string
	for i := range resp.ApiKeys {
		api := &resp.ApiKeys[i]
		known := kmsg.RequestForKey(api.ApiKey)
		if known == nil || api.MaxVersion <= known.MaxVersion() || known.MaxVersion() < api.MinVersion {
			continue
		}
		lowered = append(lowered, fmt.Sprintf("%s %d -> %d", apiName(api.ApiKey), api.MaxVersion, known.MaxVersion()))
		api.MaxVersion = known.MaxVersion()
	}
	return lowered
}

// olderApiVersions is what an older broker answers to an ApiVersions version
// that it does not know: the client asks again with one that is in the list
// (KIP-511). The proxy gives it where kmsg could not decode the real answer.
func olderApiVersions() *kmsg.ApiVersionsResponse {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.ErrorCode = kerr.UnsupportedVersion.Code
	own := kmsg.NewApiVersionsResponseApiKey()
	own.ApiKey, own.MaxVersion = resp.Key(), resp.MaxVersion()
	resp.ApiKeys = append(resp.ApiKeys, own)
	return resp
}
