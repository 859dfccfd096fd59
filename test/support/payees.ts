/** Code of destinations by their behaviour when they are paid in the chain's own coin. */
export const PAYEE_CODE = {
  takes: '0x00',
  reverts: '0x60006000fd',
  /** An assert of old compilers: it uses all gas. */
  burns: '0xfe',
  neverEnds: '0x5b600056',
  /** Writes a slot of its storage, which takes more than 20,000 gas. */
  writes: '0x600160005500',
  /** Accepts coins at a gas price of zero, as in a call, and reverts in a transaction. */
  takesUnlessGasCosts: '0x3a15600a5760006000fd5b00',
} as const;
export type PayeeKind = keyof typeof PAYEE_CODE;
