"""Every dashboard, in the order of a look round the fleet."""

from __future__ import annotations

from dashboard.grafana.cache_boards import CACHE_BOARD, TRANSFER_BOARD
from dashboard.grafana.deck_boards import EXPORTER_BOARD, ROUTING_BOARD
from dashboard.grafana.engine_boards import ENGINES_BOARD, FLEET_BOARD
from dashboard.grafana.store_board import STORE_BOARD

BOARDS = (FLEET_BOARD, CACHE_BOARD, STORE_BOARD, TRANSFER_BOARD, ROUTING_BOARD, ENGINES_BOARD, EXPORTER_BOARD)
