import type { SecretPlace } from '../platform/secret-box.js';

/** The primary key of a kept answer: its columns, in their order. */
export const KEY_COLUMNS = ['merchant_id', 'environment', 'method', 'path', 'idempotency_key'] as const;

/** The identity of a write among all writes of all merchants. No part of it can contain a NUL. */
export type AnswerKey = Readonly<Record<(typeof KEY_COLUMNS)[number], string>>;

/** Returns the parts of the key in the order of its columns. */
export const partsOf = (key: AnswerKey): string[] => KEY_COLUMNS.map((column) => key[column]);

/** Returns the key as one text. */
export const keyText = (key: AnswerKey): string => partsOf(key).join('\0');

/** Returns the place that the answer of this key is sealed for: an answer that was moved to another key does not open. */
export const placeOfAnswer = (key: AnswerKey): SecretPlace => ({ purpose: 'idempotent-answer', rowId: keyText(key) });
