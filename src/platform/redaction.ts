import { redactApiKey } from '../domain/api-key.js';

const REDACTED = '[redacted]';

/** Fields whose names end like this are secret, whatever the prefix (`VAULT_PASSPHRASE`). */
const SECRET_FIELD =
  /("[\w-]*(?:passphrase|password|secret|secrets_key|authorization|cookie|api[-_]?key|private[-_]?key|mnemonic)":)(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi;
const CREDENTIALS = /\b(Bearer|Basic) +[^\s"\\]+/gi;
const WEBHOOK_SECRET = /whsec_[\w+/=%-]+/g;
const URL_PASSWORD = /(:\/\/[^\s"/:@]*:)[^\s"/@]+@/g;

/**
 * Removes secrets from a line of JSON, at any depth and inside messages and stacks: values of secret fields, credentials
 * of HTTP and of URLs, API keys (their last four characters stay), webhook secrets, and all `secrets` of this deployment.
 */
export function redactLine(line: string, secrets: readonly string[] = []): string {
  let text = redactApiKey(line)
    .replace(SECRET_FIELD, `$1"${REDACTED}"`)
    .replace(CREDENTIALS, `$1 ${REDACTED}`)
    .replace(WEBHOOK_SECRET, 'whsec_…')
    .replace(URL_PASSWORD, `$1${REDACTED}@`);
  for (const secret of secrets) {
    if (secret !== '') text = text.replaceAll(JSON.stringify(secret).slice(1, -1), REDACTED);
  }
  return text;
}

/** JSON does not escape these, but terminals interpret them, and bidirectional marks disguise the text of a line. */
const TREACHEROUS = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes characters that JSON does not escape and a terminal would interpret. The line stays the same JSON value. */
export function escapeTreacherous(line: string): string {
  return line.replace(TREACHEROUS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
