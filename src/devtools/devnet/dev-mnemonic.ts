/**
 * The mnemonic of Ethereum tutorials, and anvil's default. Its keys are public: on a real network, funds sent to them are
 * stolen within seconds. Here that is an advantage, because they cannot be mistaken for secrets.
 */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

/**
 * Every role has its own account, so that roles do not share nonces: `faucet` belongs to the users of the chain and is
 * published in `sandbox.json`, `sandboxPayer` to the service's pay helper, `minter` owns the test tokens, `rival` sends
 * competing transactions in tests.
 */
export const DEV_ACCOUNT_INDEX = { faucet: 0, sandboxPayer: 1, minter: 2, rival: 3 } as const;

export type DevRole = keyof typeof DEV_ACCOUNT_INDEX;
