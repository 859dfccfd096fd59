import type { CsvCell } from '../../http/csv.js';
import type { DeliveryObject } from './deliveries.schema.js';

const COLUMNS = [
  'id',
  'status',
  'event_type',
  'event_id',
  'resource_id',
  'merchant_id',
  'merchant_name',
  'endpoint_id',
  'endpoint_url',
  'series',
  'attempt_count',
  'last_response_status',
  'last_fault',
  'last_cause',
  'next_attempt_at',
  'created_at',
  'finished_at',
] as const satisfies readonly (keyof DeliveryObject)[];

/** The first line of an export of deliveries. */
export const DELIVERY_HEAD: readonly string[] = COLUMNS;

/** The cells of one delivery, in the order of the head. */
export const deliveryCells = (delivery: DeliveryObject): CsvCell[] => COLUMNS.map((column) => delivery[column]);
