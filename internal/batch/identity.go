package batch

import (
	"bytes"

	"kcompare/internal/evidence"
)

// identities reads the two headers of a scenario's records. What package
// evidence parses is right by definition; the paths here are for the way drivers
// write them, and take no memory: a role is a string that was seen before.
type identities struct {
	last  string // the role of the last record, which is mostly that of the next
	roles map[string]string
}

// mostRoles bounds what foreign records, which may look like ours, can make us
// remember.
const mostRoles = 1000

func (s *identities) recordID(text []byte) (evidence.RecordID, error) {
	if slash := bytes.IndexByte(text, '/'); slash > 0 {
		if n, end := decimal(text, slash+1); end == len(text) {
			return evidence.RecordID{Role: s.role(text[:slash]), N: n}, nil
		}
	}
	return evidence.ParseRecordID(string(text))
}

func (s *identities) sendID(text []byte) (evidence.SendID, error) {
	instance, end := decimal(text, 0)
	if end < len(text) && text[end] == '/' {
		ordinal, end := decimal(text, end+1)
		if end < len(text) && text[end] == '/' {
			if sum, ok := hexadecimal(text[end+1:]); ok {
				return evidence.SendID{Instance: instance, Ordinal: ordinal, Sum: sum}, nil
			}
		}
	}
	return evidence.ParseSendID(string(text))
}

// role is the text as a string that all records of the role share.
func (s *identities) role(text []byte) string {
	if string(text) == s.last {
		return s.last
	}
	known, ok := s.roles[string(text)]
	if !ok {
		if s.roles == nil || len(s.roles) >= mostRoles {
			s.roles = map[string]string{}
		}
		known = string(text)
		s.roles[known] = known
	}
	s.last = known
	return known
}

// decimal reads digits from start on, one to nine of them, which fit any int. end
// is where they end, and behind the text if there are too few or too many.
func decimal(text []byte, start int) (n, end int) {
	const most = 9
	end = start
	for end < len(text) && text[end]-'0' <= 9 {
		n = 10*n + int(text[end]-'0')
		end++
	}
	if end == start || end > start+most {
		return 0, len(text) + 1
	}
	return n, end
}

// hexadecimal reads up to eight digits, in lower case as they are written.
func hexadecimal(text []byte) (n uint32, ok bool) {
	var seen byte
	for _, c := range text {
		digit := hexDigits[c]
		seen |= digit
		n = n<<4 | uint32(digit)
	}
	return n, seen < 16 && len(text) >= 1 && len(text) <= 8
}

// hexDigits is the value of a digit, and 0xff for what is none. To look a digit
// of a checksum up is faster than to compare it: no processor guesses the outcome.
var hexDigits = func() (values [256]byte) {
	for c := range values {
		values[c] = 0xff
	}
	for value, c := range []byte("0123456789abcdef") {
		values[c] = byte(value)
	}
	return values
}()
