// SPDX-License-Identifier: Apache-2.0
//
// The ways photos come in: dropped anywhere on the page, pasted, or chosen. `onFiles` gets what is a file, of whatever
// type: the server says what it reads. An empty list means that what came held no file.

import { element } from './elements';

export interface Intake {
  onFiles: (files: File[]) => void;
  onDragOver: (over: boolean) => void;
}

function filesOf(transfer: DataTransfer | null): File[] {
  return transfer ? [...transfer.files] : [];
}

export function listenForFiles({ onFiles, onDragOver }: Intake): void {
  listenForDrops({ onFiles, onDragOver });
  document.addEventListener('paste', (paste) => {
    const files = filesOf(paste.clipboardData);
    // Text pasted into nothing is a slip; only a paste that holds files is meant for us.
    if (files.length === 0) return;
    paste.preventDefault();
    onFiles(files);
  });
  const input = element('files', HTMLInputElement);
  element('choose', HTMLButtonElement).addEventListener('click', () => {
    input.click();
  });
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    input.value = ''; // so that choosing the same file again is a change
    if (files.length > 0) onFiles(files);
  });
}

function listenForDrops({ onFiles, onDragOver }: Intake): void {
  // Without these the browser would leave the page for the file.
  document.addEventListener('dragover', (drag) => {
    drag.preventDefault();
    onDragOver(true);
  });
  document.addEventListener('dragleave', (drag) => {
    if (drag.relatedTarget === null) onDragOver(false);
  });
  document.addEventListener('drop', (drop) => {
    drop.preventDefault();
    onDragOver(false);
    onFiles(filesOf(drop.dataTransfer));
  });
}
