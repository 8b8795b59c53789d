// SPDX-License-Identifier: Apache-2.0
//
// Checked reading of JSON from outside. Every reader takes the value and the path at which it stands, and throws a
// JsonError that names this path: what comes through has the type it says.

export class JsonError extends Error {
  override name = 'JsonError';
}

export type Reader<T> = (value: unknown, path: string) => T;

function fail(path: string, expected: string, value: unknown): never {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  throw new JsonError(`${path} is ${found}, not ${expected}`);
}

export const readNumber: Reader<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : fail(path, 'a number', value);

export const readString: Reader<string> = (value, path) =>
  typeof value === 'string' ? value : fail(path, 'a text', value);

export const readBoolean: Reader<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : fail(path, 'true or false', value);

export function readObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, 'an object', value);
  return value as Record<string, unknown>;
}

export function listOf<T>(reader: Reader<T>): Reader<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) fail(path, 'a list', value);
    return value.map((item: unknown, index) => reader(item, `${path}[${index}]`));
  };
}

/** A list of exactly `length` numbers. */
export function numbers(length: number): Reader<number[]> {
  const read = listOf(readNumber);
  return (value, path) => {
    const list = read(value, path);
    if (list.length !== length) throw new JsonError(`${path} has ${list.length} numbers, not ${length}`);
    return list;
  };
}

export function oneOf<T extends string>(...choices: readonly T[]): Reader<T> {
  return (value, path) => {
    const chosen = choices.find((choice) => choice === value);
    return chosen ?? fail(path, `one of ${choices.join(', ')}`, value);
  };
}

/** The fields of one object. */
export class Fields {
  private readonly object: Record<string, unknown>;
  private readonly path: string;

  constructor(value: unknown, path: string) {
    this.object = readObject(value, path);
    this.path = path;
  }

  get<T>(name: string, reader: Reader<T>): T {
    return reader(this.object[name], `${this.path}.${name}`);
  }

  /** The field as an object to spread: empty where the field is absent or null. */
  optional<N extends string, T>(name: N, reader: Reader<T>): Partial<Record<N, T>> {
    const value = this.object[name];
    if (value === undefined || value === null) return {};
    return { [name]: reader(value, `${this.path}.${name}`) } as Partial<Record<N, T>>;
  }
}
