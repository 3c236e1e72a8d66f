<?php
// Creates an access link and sends signed events. Needs only PHP 8.1.
//
//     php gatehouse.php link
//     php gatehouse.php send events.json
declare(strict_types=1);

const MAX_ATTEMPTS = 5;

/**
 * Sends a request until it succeeds or fails permanently.
 *
 * @param callable(): list<string> $makeHeaders Returns the headers of an attempt.
 */
function post(string $path, string $body, callable $makeHeaders): array
{
    $problem = '';
    for ($attempt = 1; $attempt <= MAX_ATTEMPTS; $attempt++) {
        $wait = 2 ** ($attempt - 1) * random_int(500, 1000) / 1000;
        $stream = @fopen(getenv('GATEHOUSE_URL') . $path, 'r', false, stream_context_create(['http' => [
            'method' => 'POST',
            'header' => ['content-type: application/json', ...$makeHeaders()],
            'content' => $body,
            'timeout' => 30,
            'ignore_errors' => true, // Returns the body of an error response, too.
            'follow_location' => 0,
        ]]));
        if ($stream === false) {
            // The request may have been processed, so it must be safe to repeat.
            $problem = 'no response';
        } else {
            $head = implode("\n", stream_get_meta_data($stream)['wrapper_data']);
            $response = (string) stream_get_contents($stream);
            $status = (int) explode(' ', $head)[1];
            if ($status === 200) return json_decode($response, true, 512, JSON_THROW_ON_ERROR);
            $problem = "$status $response";
            $hasRetryAfter = preg_match('/^retry-after: (\d+)/mi', $head, $match) === 1;
            // A temporary error has a 5xx status or says when to retry.
            if ($status < 500 && !$hasRetryAfter) break;
            if ($hasRetryAfter) $wait = max($wait, (int) $match[1]);
        }
        if ($attempt < MAX_ATTEMPTS) usleep((int) ($wait * 1_000_000));
    }
    throw new RuntimeException($problem);
}

function createLink(array $link): array
{
    // Every attempt has the same key, so a retry returns the link of the first attempt.
    $headers = ['authorization: Bearer ' . getenv('GATEHOUSE_KEY'), 'idempotency-key: ' . bin2hex(random_bytes(16))];
    return post('/assistant-link', json_encode($link, JSON_THROW_ON_ERROR), fn () => $headers);
}

function sign(string $secret, string $id, string $timestamp, string $body): string
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false) throw new RuntimeException('The secret is not base64.');
    return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
}

/** Sends at most 100 events. Returns the rejected events with the reasons. */
function sendEvents(array $events): array
{
    $body = json_encode(['events' => $events], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    $id = 'msg_' . bin2hex(random_bytes(16));
    $result = post('/events', $body, function () use ($id, $body): array {
        // A signature is valid for five minutes, so every attempt has a new one. The ID stays the same.
        $timestamp = (string) time();
        $signature = sign(getenv('EVENT_SOURCE_SECRET'), $id, $timestamp, $body);
        return ["webhook-id: $id", "webhook-timestamp: $timestamp", "webhook-signature: $signature"];
    });
    return array_map(
        fn (array $error) => ['event' => $events[$error['index']], 'reason' => $error['error']],
        $result['errors'] ?? [],
    );
}

if (PHP_SAPI === 'cli') {
    if ($argv[1] === 'link') {
        $filter = ['audience' => ['in' => ['customers', 'public']]];
        echo createLink(['sub' => 'customer-42', 'ttlSeconds' => 3600, 'permissionFilter' => $filter])['url'], "\n";
    } elseif ($argv[1] === 'send') {
        // Objects instead of arrays, because an empty array would become [] instead of {}.
        $events = json_decode(file_get_contents($argv[2]), false, 512, JSON_THROW_ON_ERROR)->events;
        $rejected = sendEvents($events);
        echo 'accepted ', count($events) - count($rejected), "\n";
        foreach ($rejected as ['event' => $event, 'reason' => $reason]) echo "rejected $event->id $reason\n";
        exit($rejected === [] ? 0 : 1);
    }
}
