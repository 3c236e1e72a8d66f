<?php
// Receives webhooks. Serve this file with your web server, or for a test:
//
//     php -S 127.0.0.1:8090 webhook.php
declare(strict_types=1);

require __DIR__ . '/gatehouse.php';

const TOLERANCE_SECONDS = 300;

/** Reports whether a request is a recent delivery. `$body` is the bytes as received. */
function isGenuine(string $secret, string $id, string $timestamp, string $signatures, string $body): bool
{
    if ($id === '' || !ctype_digit($timestamp)) return false;
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) return false;
    $expected = sign($secret, $id, $timestamp, $body);
    // During the rotation of a secret there are two signatures. hash_equals takes constant time.
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) return true;
    }
    return false;
}

/**
 * Reports whether a delivery is new. In production: insert the ID into a table with a unique column, in the transaction
 * that applies the event.
 */
function isNew(string $id): bool
{
    $folder = getenv('SEEN_DIRECTORY') ?: sys_get_temp_dir();
    return @fopen($folder . '/gatehouse-' . hash('sha256', $id), 'x') !== false;
}

$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$signatures = $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '';
if (!isGenuine(getenv('SUBSCRIPTION_SECRET'), $id, $timestamp, $signatures, $body)) {
    http_response_code(401);
    return;
}
// Deliveries are repeated if a response is lost. Every attempt has the same webhook-id.
if (isNew($id)) {
    $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    error_log("received {$event['type']} {$event['id']}");
}
http_response_code(204);
