/** The limit behind a refusal: too much in one request, or too many requests. */
export type RpcLimit = 'size' | 'rate';

/** EIP-1474 "limit exceeded": providers use it for sizes and ranges, and some for rates. */
const LIMIT_EXCEEDED = -32_005;
const TOO_MANY_REQUESTS = 429;
/** A contract reverted a call (geth and similar nodes). */
export const EXECUTION_REVERTED = 3;
// Beginnings of messages about a failed execution. The contract writes the rest of a revert's message, and others say that
// gas "exceeds" something, with any code: none of these is a limit of the node.
const FAILED_EXECUTION =
  /^(?:err: )?(?:execution reverted|reverted|e?vm (?:execution )?(?:error|exception)|out of ?gas|gas required exceeds|intrinsic gas|insufficient (?:funds|balance|sender balance)|upfront cost exceeds|max (?:priority )?fee per gas|max call depth|stack (?:overflow|underflow|limit)|invalid (?:opcode|jump))/i;

// Providers agree on no code, so their words decide: -32003 is a response that is too large for geth, and a transaction that
// is rejected for EIP-1474 and anvil. Rates come first: "too many requests" speaks of no size.
const RATE_WORDS = /\brate\b|requests? per|too many requests|throughput|capacity|compute units|quota/i;
const SIZE_WORDS = /too large|too big|too many|too long|batch|exceed|more than|response size|limited to/i;

/** Returns the limit that a JSON-RPC `error` reports, or null when it reports something else. */
export function limitOf(code: unknown, message: string): RpcLimit | null {
  if (code === EXECUTION_REVERTED || FAILED_EXECUTION.test(message)) return null;
  if (code === TOO_MANY_REQUESTS || RATE_WORDS.test(message)) return 'rate';
  if (code === LIMIT_EXCEEDED || SIZE_WORDS.test(message)) return 'size';
  return null;
}
