package verdict

import (
	"fmt"

	"kcompare/internal/evidence"
)

// claimsAnswer says whether the trial expected an answer.
func claimsAnswer(t evidence.Trial) bool {
	for _, a := range t.Answers {
		if a.Expected != "" {
			return true
		}
	}
	return false
}

// answers splits those that are not what was expected from those that the story
// did not find out. What is measured takes no part.
func answers(all []evidence.Answer) (failing, unknown []string) {
	for _, a := range all {
		switch {
		case a.Measured:
		case a.Answer == "":
			unknown = append(unknown, fmt.Sprintf("%s: there is no answer", a.Question))
		case a.Expected != "" && a.Answer != a.Expected:
			failing = append(failing, fmt.Sprintf("%s: %s, expected %s", a.Question, a.Answer, a.Expected))
		}
	}
	return failing, unknown
}
