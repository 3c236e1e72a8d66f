import type { Command } from 'commander';
import type { Binding } from './binding.ts';
export function addAdmin(_program: Command, _binding: Binding): void {}
