/** Code of destinations by what they do when they are paid in the chain's own coin. */
export const PAYEE_CODE = {
  takes: '0x00',
  reverts: '0x60006000fd',
  /** An assert of old compilers: all gas is gone. */
  burns: '0xfe',
  neverEnds: '0x5b600056',
  /** Writes a slot of its storage, which takes more than 20,000 gas. */
  writes: '0x600160005500',
  /** Takes coins while gas costs nothing, as in a call that offers none, and reverts in a transaction. */
  takesUnlessGasCosts: '0x3a15600a5760006000fd5b00',
} as const;
export type PayeeKind = keyof typeof PAYEE_CODE;
