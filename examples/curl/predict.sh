#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is in a photo, with curl alone: as JSON, and as an annotated picture beside the photo.
#
# Usage: predict.sh PHOTO [SERVER [MODEL]]
set -euo pipefail
photo=${1:?usage: predict.sh PHOTO [SERVER [MODEL]]}
server=${2:-http://127.0.0.1:8000}
model=${3:-$(curl -sS --fail-with-body "$server/v1/models" | sed 's/.*"models":\[{"name":"\([^"]*\)".*/\1/')}

curl -sS --fail-with-body -H 'Waystone-Timeout-Ms: 5000' --data-binary "@$photo" "$server/v1/predict/$model"
echo
curl -sS --fail-with-body -H 'Accept: image/jpeg' --data-binary "@$photo" -o "${photo%.*}-annotated.jpg" "$server/v1/predict/$model"
echo "annotated: ${photo%.*}-annotated.jpg"
