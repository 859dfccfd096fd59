import type { SecretPlace } from '../platform/secret-box.js';
import type { Row } from '../platform/sql/row.js';
import type { IdempotencyRecord } from './idempotency-record.entity.js';

/** The properties of a kept answer's primary key, in their order. */
export const KEY_PROPERTIES = ['merchantId', 'environment', 'method', 'path', 'idempotencyKey'] as const;

/** The identity of a write among all writes of all merchants. No part of it can contain a NUL. */
export type AnswerKey = Row<IdempotencyRecord, (typeof KEY_PROPERTIES)[number]>;

/** Returns the key as one text. */
export const keyText = (key: AnswerKey): string => KEY_PROPERTIES.map((property) => key[property]).join('\0');

/** Returns the place that the answer of this key is sealed for: an answer that was moved to another key does not open. */
export const placeOfAnswer = (key: AnswerKey): SecretPlace => ({ purpose: 'idempotent-answer', rowId: keyText(key) });
