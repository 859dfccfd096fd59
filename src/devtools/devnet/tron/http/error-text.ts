import { Refusal } from '../chain/refusal.js';
import { JsonParseError } from '../wire/message-json.js';
import { WireError } from '../wire/protobuf.js';

/** A parameter that a call needs is missing. Source: Util.validateParameter. */
export class MissingParameter extends Error {
  override name = 'MissingParameter';
}

const CLASSES: readonly [new (...values: never[]) => Error, string][] = [
  [Refusal, 'org.tron.core.exception.ContractValidateException'],
  [JsonParseError, 'org.tron.core.services.http.JsonFormat$ParseException'],
  [MissingParameter, 'java.security.InvalidParameterException'],
  [WireError, 'com.google.protobuf.InvalidProtocolBufferException'],
  [RangeError, 'java.lang.IllegalArgumentException'],
  [SyntaxError, 'org.tron.json.JSONException'],
];

/** Returns an error of a request as java-tron writes it, or null for a defect of ours. Source: Util.printErrorMsg. */
export function errorText(error: unknown): string | null {
  const [, name] = CLASSES.find(([type]) => error instanceof type) ?? [];
  return name === undefined || !(error instanceof Error) ? null : `class ${name} : ${error.message}`;
}
