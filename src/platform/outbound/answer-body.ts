/** The start of an answer, as text that a database and a page can hold. */
export interface AnswerBody {
  bodyText: string;
  /** Whether the answer was longer than what was kept. */
  truncated: boolean;
}

/** Reads at most `maxBytes` and then leaves the stream, which destroys it; nothing is decompressed. */
export async function readAnswerBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<AnswerBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const truncated = size > maxBytes;
  const kept = Buffer.concat(chunks).subarray(0, maxBytes);
  // As a stream, the decoder leaves out a character that the cut went through.
  return { bodyText: storable(new TextDecoder().decode(kept, { stream: truncated })), truncated };
}

/** One value per header name; undici's limit on the size of all headers bounds them. */
export function answerHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      storable(Array.isArray(value) ? value.join(', ') : value),
    ]),
  );
}

/** PostgreSQL's text cannot hold NUL: without this, a receiver could make its own delivery impossible to record. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}');
}
