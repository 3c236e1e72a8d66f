// Creates an access link, sends signed events and receives webhooks. Needs only Go 1.22.
//
//	go run gatehouse.go link
//	go run gatehouse.go send events.json
//	go run gatehouse.go listen
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxAttempts = 5
	tolerance   = 5 * time.Minute
	maxBody     = 16 << 20
)

var client = &http.Client{Timeout: 30 * time.Second}

// post sends a request until it succeeds or fails permanently. Every attempt gets new headers.
func post(path string, body []byte, headers func() map[string]string, result any) error {
	var problem error
	for attempt := range maxAttempts {
		if attempt > 0 {
			wait := time.Duration(float64(time.Second<<(attempt-1)) * (0.5 + mathrand.Float64()/2))
			time.Sleep(max(wait, retryAfter(problem)))
		}
		request, err := http.NewRequest("POST", os.Getenv("GATEHOUSE_URL")+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("content-type", "application/json")
		for name, value := range headers() {
			request.Header.Set(name, value)
		}
		// After an error without a response, the request may have been processed, so it must be safe to repeat.
		if problem = send(request, result); problem == nil {
			return nil
		}
		if status, ok := problem.(*statusError); ok && !status.isTemporary() {
			return problem
		}
	}
	return problem
}

func send(request *http.Request, result any) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return &statusError{response.StatusCode, response.Header.Get("retry-after"), string(text)}
	}
	return json.Unmarshal(text, result)
}

type statusError struct {
	status           int
	retryAfter, text string
}

func (e *statusError) Error() string { return fmt.Sprint(e.status, " ", e.text) }

// isTemporary reports whether the status is 5xx or the response says when to retry.
func (e *statusError) isTemporary() bool { return e.status >= 500 || e.retryAfter != "" }

func retryAfter(problem error) time.Duration {
	if status, ok := problem.(*statusError); ok {
		seconds, _ := strconv.Atoi(status.retryAfter)
		return time.Duration(seconds) * time.Second
	}
	return 0
}

func createLink(link map[string]any) (url string, err error) {
	body, err := json.Marshal(link)
	if err != nil {
		return "", err
	}
	// Every attempt has the same key, so a retry returns the link of the first attempt.
	headers := map[string]string{
		"authorization":   "Bearer " + os.Getenv("GATEHOUSE_KEY"),
		"idempotency-key": randomID(),
	}
	var created struct{ URL string }
	err = post("/assistant-link", body, func() map[string]string { return headers }, &created)
	return created.URL, err
}

func randomID() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

func sign(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

type rejectedEvent struct {
	Index int
	Error string
}

// sendEvents sends at most 100 events. It returns the rejected events with the reasons.
func sendEvents(events []json.RawMessage) ([]rejectedEvent, error) {
	body, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		return nil, err
	}
	key, id := secretOf("EVENT_SOURCE_SECRET"), "msg_"+randomID()
	headers := func() map[string]string {
		// A signature is valid for five minutes, so every attempt has a new one. The ID stays the same.
		timestamp := strconv.FormatInt(time.Now().Unix(), 10)
		return map[string]string{
			"webhook-id":        id,
			"webhook-timestamp": timestamp,
			"webhook-signature": sign(key, id, timestamp, body),
		}
	}
	var result struct{ Errors []rejectedEvent }
	err = post("/events", body, headers, &result)
	return result.Errors, err
}

func secretOf(variable string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv(variable), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal(variable, " is not a secret in base64")
	}
	return key
}

// isGenuine reports whether a request is a recent delivery. The body is the bytes as received.
func isGenuine(key []byte, header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	expected := []byte(sign(key, id, timestamp, body))
	// During the rotation of a secret there are two signatures. hmac.Equal takes constant time.
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), expected) {
			return true
		}
	}
	return false
}

func listen(address string) error {
	key := secretOf("SUBSCRIPTION_SECRET")
	// In production: a table with a unique column, written in the transaction that applies the event.
	seen, mutex := map[string]bool{}, sync.Mutex{}
	handle := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBody))
		if err != nil || !isGenuine(key, request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		// Deliveries are repeated if a response is lost. Every attempt has the same webhook-id.
		if id := request.Header.Get("webhook-id"); !seen[id] {
			var event struct{ Type, ID string }
			if err := json.Unmarshal(body, &event); err != nil {
				response.WriteHeader(http.StatusBadRequest)
				return
			}
			fmt.Println("received", event.Type, event.ID)
			seen[id] = true
		}
		response.WriteHeader(http.StatusNoContent)
	}
	return http.ListenAndServe(address, http.HandlerFunc(handle))
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 1 && arguments[0] == "link":
		filter := map[string]any{"audience": map[string]any{"in": []string{"customers", "public"}}}
		link := map[string]any{"sub": "customer-42", "ttlSeconds": 3600, "permissionFilter": filter}
		url, err := createLink(link)
		if err != nil {
			return err
		}
		fmt.Println(url)
		return nil
	case len(arguments) == 2 && arguments[0] == "send":
		text, err := os.ReadFile(arguments[1])
		if err != nil {
			return err
		}
		var file struct{ Events []json.RawMessage }
		if err := json.Unmarshal(text, &file); err != nil {
			return err
		}
		rejected, err := sendEvents(file.Events)
		if err != nil {
			return err
		}
		fmt.Println("accepted", len(file.Events)-len(rejected))
		for _, one := range rejected {
			var event struct{ ID string }
			if err := json.Unmarshal(file.Events[one.Index], &event); err != nil {
				return err
			}
			fmt.Println("rejected", event.ID, one.Error)
		}
		if len(rejected) > 0 {
			os.Exit(1)
		}
		return nil
	case len(arguments) == 1 && arguments[0] == "listen":
		return listen("127.0.0.1:" + os.Getenv("PORT"))
	}
	return fmt.Errorf("usage: gatehouse link | send FILE | listen")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}
