package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

const toleranceSeconds = 300

var unixSeconds = regexp.MustCompile(`^[0-9]{1,15}$`)

// VerifyWebhook reports whether the delivery was signed with secret, is unchanged, and its time is within 5 minutes of
// now, which is in Unix seconds.
func VerifyWebhook(rawBody []byte, header, secret string, now int64) bool {
	var times, signatures []string
	for _, part := range strings.Split(header, ",") {
		name, value, found := strings.Cut(part, "=")
		if !found {
			return false
		}
		switch name {
		case "t":
			times = append(times, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if len(times) != 1 || !unixSeconds.MatchString(times[0]) {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(times[0] + "."))
	mac.Write(rawBody)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	matches := false
	for _, signature := range signatures {
		matches = hmac.Equal([]byte(signature), expected) || matches
	}
	signedAt, err := strconv.ParseInt(times[0], 10, 64)
	return err == nil && matches && now-signedAt <= toleranceSeconds && signedAt-now <= toleranceSeconds
}

// `go run verify.go vectors.json` ends with 1 when the code above disagrees with a test vector.
func main() {
	var vectors []struct {
		Name, Payload, Secret, Header string
		Now                           int64
		Valid                         bool
	}
	file, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(file, &vectors)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	wrong := 0
	for _, v := range vectors {
		if VerifyWebhook([]byte(v.Payload), v.Header, v.Secret, v.Now) != v.Valid {
			fmt.Fprintln(os.Stderr, "wrong:", v.Name)
			wrong++
		}
	}
	fmt.Printf("%d of %d vectors agree\n", len(vectors)-wrong, len(vectors))
	if wrong > 0 || len(vectors) == 0 {
		os.Exit(1)
	}
}
