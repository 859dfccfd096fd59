/** The SPL Token program, which owns the mints and token accounts of USDC and USDT. Token-2022 is not accepted. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** The program that derives a wallet's own account of each token. */
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
/** The program that owns wallets: it moves coins. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The program of limits and prices of a transaction. */
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
