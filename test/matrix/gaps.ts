import type { Gap } from './proof.js';

/** Cells that no test proves. Each names why; a test that closes one removes it here, or the matrix fails. */
export const GAPS: readonly Gap[] = [];
