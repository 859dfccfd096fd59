import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../platform/database/columns.js';

const ExpiryProofSchema = defineEntity({
  name: 'ExpiryProof',
  tableName: 'expiry_proof',
  properties: {
    transactionId: p.text().primary(),
    until: wholeNumber(),
    nodes: p.integer(),
    provenAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * Final blocks beyond `until` (`Expiry.until`), read by this many nodes, prove that a transaction is never mined. Its
 * order may then get another transaction. Append-only.
 */
export class ExpiryProof extends ExpiryProofSchema.class {}
ExpiryProofSchema.setClass(ExpiryProof);
