/** An error answer. Codes, texts and data are those of Agave's `rpc-client-api/src/custom_error.rs`. */
export class RpcError extends Error {
  override name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const parseError = (): RpcError => new RpcError(-32700, 'Parse error');
export const invalidRequest = (message = 'Invalid request'): RpcError => new RpcError(-32600, message);
export const methodNotFound = (): RpcError => new RpcError(-32601, 'Method not found');
export const invalidParams = (message: string): RpcError => new RpcError(-32602, message);
export const internalError = (): RpcError => new RpcError(-32603, 'Internal error');

export const blockCleanedUp = (slot: number, first: number): RpcError =>
  new RpcError(-32001, `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`);

export const preflightFailure = (reason: string, simulation: unknown): RpcError =>
  new RpcError(-32002, `Transaction simulation failed: ${reason}`, simulation);

export const signatureVerificationFailure = (): RpcError =>
  new RpcError(-32003, 'Transaction signature verification failure');

export const blockNotAvailable = (slot: number): RpcError =>
  new RpcError(-32004, `Block not available for slot ${slot}`);

export const nodeBehind = (slots: number): RpcError =>
  new RpcError(-32005, `Node is behind by ${slots} slots`, { numSlotsBehind: slots });

export const slotSkipped = (slot: number): RpcError =>
  new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);

export const longTermStorageSlotSkipped = (slot: number): RpcError =>
  new RpcError(-32009, `Slot ${slot} was skipped, or missing in long-term storage`);

export const unsupportedVersion = (version: number): RpcError =>
  new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the ` +
      `following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );

export const minContextSlotNotReached = (contextSlot: number): RpcError =>
  new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot });

export const filterTransactionNotFound = (signature: string): RpcError =>
  new RpcError(-32020, `Transaction ${signature} not found`);
