/** The start of an answer, as text that can be stored and displayed. */
export interface AnswerBody {
  bodyText: string;
  /** Whether the rest of the answer was cut off. */
  truncated: boolean;
}

/** Reads at most `maxBytes` and then destroys the stream; nothing is decompressed. */
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
  // In stream mode the decoder drops a character that the cut has split.
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

/** Replaces NULs, which PostgreSQL cannot store: else a receiver could prevent the record of its own delivery. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}');
}
