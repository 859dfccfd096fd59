<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** True when the delivery was signed with $secret, is unchanged, and its time is within 5 minutes of the clock. */
function verify_webhook(string $rawBody, string $header, string $secret, ?int $now = null): bool
{
    $times = [];
    $signatures = [];
    foreach (explode(',', $header) as $part) {
        $pair = explode('=', $part, 2);
        if (count($pair) !== 2) {
            return false;
        }
        [$name, $value] = $pair;
        if ($name === 't') {
            $times[] = $value;
        } elseif ($name === 'v1') {
            $signatures[] = $value;
        }
    }
    // Not ^ and $: in PHP, $ also matches before a line break at the end.
    if (count($times) !== 1 || preg_match('/\A[0-9]{1,15}\z/', $times[0]) !== 1) {
        return false;
    }
    $expected = hash_hmac('sha256', $times[0] . '.' . $rawBody, $secret);
    $matches = array_filter($signatures, fn (string $signature): bool => hash_equals($expected, $signature));

    return $matches !== [] && abs(($now ?? time()) - (int) $times[0]) <= TOLERANCE_SECONDS;
}

// `php verify.php vectors.json` ends with 1 when the code above disagrees with a test vector.
if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    $vectors = json_decode(file_get_contents($argv[1]), true, flags: JSON_THROW_ON_ERROR);
    $disagrees = fn (array $v): bool => verify_webhook($v['payload'], $v['header'], $v['secret'], $v['now']) !== $v['valid'];
    $wrong = array_filter($vectors, $disagrees);
    foreach ($wrong as $v) {
        fwrite(STDERR, "wrong: {$v['name']}\n");
    }
    printf("%d of %d vectors agree\n", count($vectors) - count($wrong), count($vectors));
    exit($vectors !== [] && $wrong === [] ? 0 : 1);
}
