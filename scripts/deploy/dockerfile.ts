import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction, ModifiableInstruction } from 'dockerfile-ast';
import { ROOT } from './files.ts';

/** An instruction of the Dockerfile, its lines joined. */
export interface Step {
  readonly keyword: string;
  /** What stands behind the keyword and its flags. */
  readonly text: string;
  /** `--name=value`, in their order. */
  readonly flags: readonly string[];
}

/** What begins with `FROM`. */
export interface Stage {
  readonly name: string;
  readonly image: string;
  readonly steps: readonly Step[];
}

/** The stages of the Dockerfile, in their order; the last is the image. */
export function readStages(): Stage[] {
  const file = DockerfileParser.parse(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const stages: { name: string; image: string; steps: Step[] }[] = [];
  for (const instruction of file.getInstructions()) {
    const step = stepOf(instruction);
    const [image = '', , name = 'image'] = step.text.split(/\s+/);
    if (step.keyword === 'FROM') stages.push({ name, image, steps: [] });
    else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

function stepOf(instruction: Instruction): Step {
  const flags = instruction instanceof ModifiableInstruction ? instruction.getFlags() : [];
  const text = (instruction.getRawArgumentsContent() ?? '')
    .replaceAll(/^\s*#.*$/gm, '')
    .replaceAll(/\\\s*\n\s*/g, ' ')
    .trim();
  return { keyword: instruction.getKeyword(), text, flags: flags.map(String) };
}

/** The steps of a stage with this keyword. */
export function stepsOf(stage: Stage, keyword: string): Step[] {
  return stage.steps.filter((step) => step.keyword === keyword);
}

/** The variables that a stage sets. */
export function environmentOf(stage: Stage): Record<string, string> {
  const pairs = stepsOf(stage, 'ENV').flatMap(({ text }) => text.split(/\s+/));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}
