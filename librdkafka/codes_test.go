//go:build cgo

package librdkafka

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
)

// The C library has a list of its errors, which the binding can only write out
// as source text: a description and a name for each.
func TestLocalNames(t *testing.T) {
	want := map[string]string{} // description by name
	pattern := regexp.MustCompile(`// \S+ (.*)\n\t\S+ ErrorCode = C\.RD_KAFKA_RESP_ERR_(_\w+)\n`)
	for _, match := range pattern.FindAllStringSubmatch(libraryErrors(t), -1) {
		want[match[2]] = match[1]
	}
	got := map[string]string{}
	for code, name := range localNames {
		got[name] = code.String()
	}
	if len(want) == 0 {
		t.Fatal("the library lists no local errors; its format has changed")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names and descriptions of local errors (-library +table):\n%s", diff)
	}
}

func libraryErrors(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "errors.go")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	kafka.WriteErrorCodes(file)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBrokerNames(t *testing.T) {
	for code := 1; code < len(brokerNames); code++ {
		var want *kerr.Error
		if !errors.As(kerr.ErrorForCode(int16(code)), &want) || want.Message != brokerNames[code] {
			t.Errorf("code %d is %q here, %v in the protocol", code, brokerNames[code], want)
		}
	}
}

func TestCodeName(t *testing.T) {
	for code, want := range map[kafka.ErrorCode]string{
		kafka.ErrMsgTimedOut:                        "_MSG_TIMED_OUT",
		kafka.ErrFenced:                             "_FENCED",
		kafka.ErrUnknown:                            "UNKNOWN_SERVER_ERROR",
		kafka.ErrMsgSizeTooLarge:                    "MESSAGE_TOO_LARGE",
		transactionAbortable:                        "TRANSACTION_ABORTABLE",
		kafka.ErrorCode(len(brokerNames)):           "code 137",
		kafka.ErrorCode(-1000):                      "code -1000",
		kafka.ErrNoError:                            "code 0",
		kafka.ErrRebootstrapRequired:                "REBOOTSTRAP_REQUIRED",
		kafka.ErrTransactionalIDAuthorizationFailed: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
	} {
		if got := codeName(code); got != want {
			t.Errorf("codeName(%d) = %q, want %q", int(code), got, want)
		}
	}
}
