"use strict";
// Everything on the page is there without this script. It folds and unfolds all at once,
// and unfolds all for the time of printing.
addEventListener("DOMContentLoaded", () => {
  const nav = document.querySelector("nav");
  const folds = () => document.querySelectorAll("details");
  for (const [open, label] of [[true, nav.dataset.unfold], [false, nav.dataset.fold]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => folds().forEach((one) => { one.open = open; }));
    if (folds().length > 0) nav.append(button);
  }
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...folds()].filter((one) => !one.open);
    folded.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((one) => { one.open = false; }));
});
