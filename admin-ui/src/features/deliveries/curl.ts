/** A request that the service has sent. */
export interface SentRequest {
  readonly url: string;
  /** Null for the signature, which is never shown. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** The `t` of the signature, in Unix seconds. */
  readonly signedAt: number;
  readonly body: string;
}

/** What stands in the place of a signature. */
const NOT_SHOWN = '<not shown: HMAC-SHA256 of "t.body" with the secret of the endpoint>';

/**
 * Returns the request as a curl command. The signature is left out, and nothing from which it could be computed is
 * known here. The holder of the secret can add it.
 */
export function curlOf({ url, headers, signedAt, body }: SentRequest): string {
  const signature = `t=${signedAt},v1=${NOT_SHOWN}`;
  return [
    // Brackets in the URL are text, as they are for the service.
    `curl --http1.1 --globoff --request POST --url ${shellQuoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${shellQuoted(`${name}: ${value ?? signature}`)}`),
    // curl would send an Accept of its own.
    `--header 'accept:'`,
    `--data-raw ${shellQuoted(body)}`,
  ].join(' \\\n  ');
}

/**
 * Characters that a terminal or a reader could take for something else than text, even between quotes: controls such as
 * Ctrl+C, which end the line into which they are pasted, and marks of direction.
 */
const MISLEADING = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;
const ENCODED = /[\\']|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu;

/**
 * Returns text as one argument of a shell. Between single quotes nothing has a meaning but a quote. Text with misleading
 * characters is written as `$'...'`, which bash and zsh read, with these as bytes of UTF-8. No argument can hold NUL: it
 * is left out, and neither an event nor a URL has one.
 */
export function shellQuoted(text: string): string {
  const given = text.replaceAll('\u0000', '');
  if (!MISLEADING.test(given)) return `'${given.replaceAll("'", String.raw`'\''`)}'`;
  const encoded = given.replaceAll(ENCODED, (char) => (char === '\\' || char === "'" ? `\\${char}` : bytesOf(char)));
  return `$'${encoded}'`;
}

/** Octal, of which a shell reads three digits at most: after two hexadecimal ones a digit of the text could follow. */
function bytesOf(char: string): string {
  return [...new TextEncoder().encode(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
