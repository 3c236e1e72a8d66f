import { type Comparison, type Field, fieldTypes, type Operator, type Scalar } from './ast.ts';
import { describe } from './describe.ts';
import { endsInsideEscape } from './like.ts';
import { limits } from './limits.ts';
import { nearestName } from './nearest-name.ts';
import { elementPath } from './problem-path.ts';
import type { Reading } from './reading.ts';
import { textProblem } from './text.ts';

/** Reads one operator's operand; undefined when it is refused, with the problem noted. */
export function readOperator(
  reading: Reading,
  field: Field,
  operator: Operator,
  operand: unknown,
  path: string,
): Comparison | undefined {
  switch (operator) {
    case 'eq':
    case 'ne': {
      const value = Array.isArray(operand)
        ? reading.refuse(path, 'must be one value, not an array; for any of several use "in"')
        : readScalar(reading, operand, path);
      return value === undefined ? undefined : { kind: operator, field, value };
    }
    case 'in': {
      const values = readValues(reading, operand, path);
      return values === undefined ? undefined : { kind: operator, field, values };
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const value = readOrdered(reading, operand, path);
      return value === undefined ? undefined : { kind: operator, field, value };
    }
    case 'like': {
      const pattern = readPattern(reading, operand, path);
      return pattern === undefined ? undefined : { kind: operator, field, pattern };
    }
    case 'tp': {
      const type = fieldTypes.find((known) => known === operand);
      return type === undefined
        ? refuseType(reading, operand, path)
        : { kind: operator, field, type };
    }
  }
}

/** Reads a string that must be well-formed, without U+0000 and within the limit. */
export function readText(reading: Reading, text: string, path: string): string | undefined {
  const problem = textProblem(text);
  return problem === undefined ? text : reading.refuse(path, problem);
}

function readScalar(reading: Reading, operand: unknown, path: string): Scalar | undefined {
  if (operand === null || typeof operand === 'boolean') return operand;
  if (typeof operand === 'string') return readText(reading, operand, path);
  if (typeof operand === 'number') return readNumber(reading, operand, path);
  return reading.refuse(
    path,
    `must be a string, number, boolean or null, not ${describe(operand)}`,
  );
}

function readOrdered(
  reading: Reading,
  operand: unknown,
  path: string,
): number | string | undefined {
  if (typeof operand === 'string') return readText(reading, operand, path);
  if (typeof operand === 'number') return readNumber(reading, operand, path);
  return reading.refuse(path, `must be a number or a string, not ${describe(operand)}`);
}

function readNumber(reading: Reading, operand: number, path: string): number | undefined {
  if (!Number.isFinite(operand)) {
    return reading.refuse(path, 'must be a number within the range of a double');
  }
  // JSON text has a -0 and the language has not: one value must have one parsed form.
  return operand === 0 ? 0 : operand;
}

function readValues(
  reading: Reading,
  operand: unknown,
  path: string,
): readonly Scalar[] | undefined {
  if (!Array.isArray(operand)) {
    return reading.refuse(path, `must be an array of values, not ${describe(operand)}`);
  }
  if (operand.length > limits.values) {
    return reading.refuse(path, `must have at most ${limits.values} values`);
  }
  const values: Scalar[] = [];
  for (let index = 0; index < operand.length && !reading.stopped; index += 1) {
    const value = readScalar(reading, operand[index], elementPath(path, index));
    if (value !== undefined) values.push(value);
  }
  return values;
}

function readPattern(reading: Reading, operand: unknown, path: string): string | undefined {
  if (typeof operand !== 'string') {
    return reading.refuse(path, `must be a string, not ${describe(operand)}`);
  }
  const pattern = readText(reading, operand, path);
  if (pattern !== undefined && endsInsideEscape(pattern)) {
    return reading.refuse(path, 'must not end in a single "\\"; write "\\\\" for the sign itself');
  }
  return pattern;
}

function refuseType(reading: Reading, operand: unknown, path: string): undefined {
  const near = typeof operand === 'string' ? nearestName(operand, fieldTypes) : undefined;
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return reading.refuse(path, `must be one of ${fieldTypes.join(', ')}${hint}`);
}
