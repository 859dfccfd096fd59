/** Something that the service needs of a node beside its newest blocks, as far as a question to the node can show it. */
export interface NodeAbility {
  /** In a few words, such as `logs by block hash`. */
  readonly name: string;
  /** What the node has shown, in words for an operator. */
  readonly found: string;
  /** What to do; null when the node has what is needed. */
  readonly advice: string | null;
  /** Whether a part of the service stands still without it. */
  readonly isRequired: boolean;
}

/** What a node says about itself, for an operator. */
export interface NodeFacts {
  /** Its software; null when it does not say. */
  readonly version: string | null;
  readonly abilities: readonly NodeAbility[];
}
